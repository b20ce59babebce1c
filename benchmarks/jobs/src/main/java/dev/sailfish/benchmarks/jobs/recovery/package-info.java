/**
 * {@code bin/sailfish demo lineage}: files of the lineage store are lost and come back.
 *
 * <pre>
 *   LineageDemoCommand ──▶ LineageDemo ──▶ JobChain     jobs of which each reads what the last wrote
 *                                     ├──▶ StoredFiles  what is in the store, where, and made by what
 *                                     └──▶ LossTable    what ran again, and what others would have done
 * </pre>
 */
package dev.sailfish.benchmarks.jobs.recovery;

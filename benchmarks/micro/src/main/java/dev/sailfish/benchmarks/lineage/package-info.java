/** Costs of the lineage store. */
package dev.sailfish.benchmarks.lineage;

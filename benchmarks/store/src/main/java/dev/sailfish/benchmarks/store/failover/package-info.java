/**
 * How long clients wait when the leading one of three masters with many files is killed: {@link
 * dev.sailfish.benchmarks.store.failover.FailoverMain} starts the masters, fills and kills them.
 */
package dev.sailfish.benchmarks.store.failover;

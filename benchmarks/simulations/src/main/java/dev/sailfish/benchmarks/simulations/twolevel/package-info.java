/**
 * The equations of two-level storage: functions of numbers alone, without a command line or a file.
 *
 * <p>They are those of section 4 of <i>Big Data Analytics on Traditional HPC Infrastructure Using
 * Two-Level Storage</i> (2015), which is "the paper" in this package. Every throughput is in MB/s,
 * and 1 MB is 10<sup>6</sup> bytes.
 */
package dev.sailfish.benchmarks.simulations.twolevel;

/** Runs jobs on a local cluster and measures them from outside: time, CPU, counters. */
package dev.sailfish.benchmarks.jobs.measure;

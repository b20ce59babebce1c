/** What it costs a cluster that people watch a job in their browsers. */
package dev.sailfish.benchmarks.jobs.watch;

/** What a bench runs, and how it tells whether the outcome is right. */
package dev.sailfish.benchmarks.jobs.workload;

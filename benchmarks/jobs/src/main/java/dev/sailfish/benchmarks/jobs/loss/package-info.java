/** What jobs lose on purpose while they run. */
package dev.sailfish.benchmarks.jobs.loss;

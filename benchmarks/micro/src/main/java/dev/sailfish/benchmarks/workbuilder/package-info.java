/** Costs of deciding the reduce work of a job. */
package dev.sailfish.benchmarks.workbuilder;

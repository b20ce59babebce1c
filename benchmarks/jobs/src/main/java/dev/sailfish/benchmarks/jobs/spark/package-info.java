/** Applications of Spark that are measured, and the text that they read. */
package dev.sailfish.benchmarks.jobs.spark;

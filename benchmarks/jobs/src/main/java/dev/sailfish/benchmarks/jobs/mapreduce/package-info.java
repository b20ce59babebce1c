/**
 * MapReduce jobs of the bench and the demo. They see Hadoop and the JDK, nothing of Sailfish and
 * nothing of the command that runs them.
 */
package dev.sailfish.benchmarks.jobs.mapreduce;

/**
 * Reduce work that is made of the data, on the side of the job and its tasks: whether a job may
 * have it ({@link dev.sailfish.hadoop.auto.ReduceMode}), and how a reduce task does its part
 * ({@link dev.sailfish.hadoop.auto.PlannedReduce}). Tasks of other jobs load nothing of it.
 */
package dev.sailfish.hadoop.auto;

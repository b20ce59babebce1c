/**
 * Benchmarks of whole jobs, and the demo: the commands {@code bin/sailfish bench} and {@code demo}.
 *
 * <pre>
 *   BenchCommand     ──▶ Bench ──▶ BenchReport
 *   LossCommand      ──▶ LossBench ──▶ LossReport
 *   WorkloadsCommand ──▶ Bench ──▶ WorkloadsReport, WorkloadFigures
 *   DemoCommand      ──▶ Bench  │
 *                               ├──▶ workload    what is run, and whether its outcome is right
 *                               ├──▶ loss        what is taken away from a job while it runs
 *                               └──▶ measure     runs jobs one at a time, measures them from outside
 *   SparkCommand     ──▶ SparkBench ──▶ spark   applications of Spark, and their text
 *                    mapreduce   jobs of our own: on Hadoop's class path only, nothing of Sailfish
 * </pre>
 */
package dev.sailfish.benchmarks.jobs;

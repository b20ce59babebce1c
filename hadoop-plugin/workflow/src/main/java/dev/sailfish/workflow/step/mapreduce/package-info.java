/**
 * Steps that are jobs of Hadoop MapReduce: the job is submitted again, as its owner, from a staging
 * directory that is made of the record's programs.
 */
package dev.sailfish.workflow.step.mapreduce;

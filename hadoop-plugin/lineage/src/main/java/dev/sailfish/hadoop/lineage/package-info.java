/**
 * How jobs' outputs in the lineage store were made: recorded by the tasks that write them, without
 * a word from who submits the job, and read again by who makes them anew.
 */
package dev.sailfish.hadoop.lineage;

/**
 * One reduce task of a job that has ended, run again in one JVM from the I-files that are kept:
 * what {@code bin/sailfish reduce} starts.
 */
package dev.sailfish.hadoop.am.rerun;

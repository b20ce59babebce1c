/** Records in tasks of MapReduce jobs how the files are made that they create. */
package dev.sailfish.hadoop.lineage.record;

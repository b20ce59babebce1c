/**
 * The lineage store as a file system of Hadoop, {@code lineage://}. Compiled against Hadoop 3.5.0
 * and run with that of its user, from 3.3.4 on: nothing here calls or names what is newer.
 */
package dev.sailfish.lineage.hadoop;

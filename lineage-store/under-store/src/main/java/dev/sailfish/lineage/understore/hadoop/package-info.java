/**
 * The under store as a Hadoop {@link org.apache.hadoop.fs.FileSystem}; the only package of the
 * lineage store's servers that sees Hadoop.
 */
package dev.sailfish.lineage.understore.hadoop;

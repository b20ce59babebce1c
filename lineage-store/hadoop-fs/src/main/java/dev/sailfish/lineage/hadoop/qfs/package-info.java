/** QFS as a file system of Hadoop: {@code qfs://host:port/}. */
package dev.sailfish.lineage.hadoop.qfs;

/**
 * What a metaserver of QFS is asked: names and attributes of files and directories, where chunks
 * are, and leases on them. No byte of a chunk is seen here.
 */
package dev.sailfish.lineage.qfs.meta;

/**
 * Reading files: positions become READs of chunks, several in flight, at any server that has the
 * chunk, each 64 KiB checked by its checksum.
 */
package dev.sailfish.lineage.qfs.read;

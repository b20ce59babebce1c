/**
 * The master's large tables: what is known of each file, and where copies of its blocks are, in
 * pages of primitive values without an object for each row. While a snapshot is being written, the
 * first change of a page copies it, so that a snapshot costs nothing to begin and takes at most one
 * more table of memory. No I/O, no clock; for one thread, but for images.
 */
package dev.sailfish.lineage.master.table;

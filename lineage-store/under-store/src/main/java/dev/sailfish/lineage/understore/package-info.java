/**
 * What the lineage store asks of the file systems behind it: the state of a file, directories page
 * by page, reads of ranges, and copies that are whole or are none. Every call has a deadline. No
 * Hadoop class is seen here; {@code hadoop} holds the implementation, {@code mount} says what is
 * mounted where, {@code call} bounds what may hang.
 */
package dev.sailfish.lineage.understore;

/**
 * What is mounted where, and how: without I/O, and the same on masters, workers and in the journal.
 */
package dev.sailfish.lineage.understore.mount;

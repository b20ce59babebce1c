/**
 * The state that the journal keeps the same on all masters: the namespace, and the answers that
 * clients may ask for again. No I/O, no clock, no thread, and it does not see what calls it.
 */
package dev.sailfish.lineage.master.state;

/**
 * Readers that wait for lost files. A core that knows files, applications and records by their
 * names only: no I/O, no thread, the clock's time is passed in. Kept by the leader alone.
 */
package dev.sailfish.lineage.master.want;

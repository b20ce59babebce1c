/**
 * Which large programs users have stored. A core that knows users and hashes as texts only: no I/O,
 * no thread. Kept by the leader alone.
 */
package dev.sailfish.lineage.master.program;

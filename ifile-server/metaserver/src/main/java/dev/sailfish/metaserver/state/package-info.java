/**
 * The core: jobs, chunks, chunkservers, drains, who was admitted, and snapshots of all that. Not
 * thread-safe; no I/O, no clock, no thread, and it does not see what calls it.
 */
package dev.sailfish.metaserver.state;

/**
 * Chunkservers over QFS: what it costs when QFS takes the appends and the chunksorter works beside
 * it, against our own chunkservers with the same records.
 */
package dev.sailfish.benchmarks.qfs;

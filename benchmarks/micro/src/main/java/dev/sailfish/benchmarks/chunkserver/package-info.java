/** Appends to a chunkserver over loopback. */
package dev.sailfish.benchmarks.chunkserver;

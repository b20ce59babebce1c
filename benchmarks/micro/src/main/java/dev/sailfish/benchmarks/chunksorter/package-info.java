/** What sorting a chunk costs. */
package dev.sailfish.benchmarks.chunksorter;

/**
 * A chunk and its life: room for blocks, what it holds, its segments, and the table of all chunks.
 * {@code Chunk} is the state machine.
 */
package dev.sailfish.chunkserver.chunk;

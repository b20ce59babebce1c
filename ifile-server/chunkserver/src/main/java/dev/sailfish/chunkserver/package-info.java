/**
 * The chunkserver: holds chunks of I-files, sorts them while maps still run, and serves them.
 *
 * <p>Read {@link dev.sailfish.chunkserver.Chunkserver} first, then {@code Chunk}, which is the
 * state machine, then {@code AppendSink}, which is the hot path.
 */
package dev.sailfish.chunkserver;

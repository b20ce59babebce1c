/**
 * The chunkserver: holds chunks of I-files, sorts them while maps still run, and serves them.
 *
 * <p>Read {@link dev.sailfish.chunkserver.Chunkserver} first, then {@code chunk.Chunk}, which is
 * the state machine, then {@code rpc.AppendSink}, which is the hot path. Here are the daemon, its
 * configuration, and what it has to do with the metaserver.
 */
package dev.sailfish.chunkserver;

/** What is done with each request; {@code AppendSink} is the hot path. */
package dev.sailfish.chunkserver.rpc;

/** Chunks that were made elsewhere: by an earlier process here, or on a server that is drained. */
package dev.sailfish.chunkserver.recovery;

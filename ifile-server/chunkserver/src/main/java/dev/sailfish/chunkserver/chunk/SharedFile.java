package dev.sailfish.chunkserver.chunk;

import java.util.Collection;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Which chunks of this server have a part in a file that holds several: it is deleted with the last
 * of them. The file may hold more, which were deleted here or are elsewhere. Thread-safe.
 */
public final class SharedFile {
  private final NavigableSet<Long> chunks;
  private final NavigableSet<Long> wanted;
  private final long rawBytes;

  /**
   * @param chunks ids of those that have a part in it
   * @param wanted ids of those of them that the metaserver has here, as far as is known
   * @param rawBytes of all blocks in the file, before compression; at least 1
   */
  public SharedFile(Collection<Long> chunks, Collection<Long> wanted, long rawBytes) {
    this.chunks = new TreeSet<>(chunks);
    this.wanted = new TreeSet<>(wanted);
    this.rawBytes = rawBytes;
  }

  /**
   * The chunk that stands for the others when all of the file is asked for: the lowest id of those
   * that are wanted here.
   */
  synchronized long first() {
    return wanted.isEmpty() ? chunks.first() : wanted.first();
  }

  /** The metaserver asks for a chunk. */
  synchronized void want(long chunk) {
    wanted.add(chunk);
  }

  /**
   * A chunk is deleted.
   *
   * @return whether the file is to be deleted, too
   */
  synchronized boolean leave(long chunk) {
    chunks.remove(chunk);
    wanted.remove(chunk);
    return chunks.isEmpty();
  }

  /** What of {@code length} bytes counts as those of a chunk with so many bytes in its blocks. */
  long shareOf(long length, long rawBytesOfChunk) {
    return Math.round((double) length / rawBytes * rawBytesOfChunk);
  }
}

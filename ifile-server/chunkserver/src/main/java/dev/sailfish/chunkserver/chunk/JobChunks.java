package dev.sailfish.chunkserver.chunk;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** The chunks of one job on this server, and whether anybody asks for them. Thread-safe. */
public final class JobChunks {
  private final String job;
  private final Set<Chunk> chunks = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean active = new AtomicBoolean(true);
  private final AtomicLong fullChunkBytes = new AtomicLong();
  private volatile boolean deleted;

  public JobChunks(String job) {
    this.job = job;
  }

  public String job() {
    return job;
  }

  public Set<Chunk> chunks() {
    return chunks;
  }

  /** A client reads or writes for the job. */
  void touch() {
    if (!active.getPlain()) {
      active.set(true);
    }
  }

  /** Whether it was touched since this was asked last. */
  boolean takeActive() {
    return active.getAndSet(false);
  }

  /**
   * A chunk had to end because it was full, or because its tier was.
   *
   * @param bytes that it has, with what its sort will need
   * @param rawBytes of its blocks, before compression; the chunk's capacity when it can have no
   *     more blocks
   */
  void chunkEnded(ChunkSpec spec, long bytes, long rawBytes) {
    long whenFull = (long) ((double) bytes / rawBytes * spec.chunkBytes());
    fullChunkBytes.accumulateAndGet(whenFull, Math::max);
  }

  /**
   * How long a chunk that begins now will probably become, in bytes: as long as a full one once one
   * had to end; 0 before that, when most chunks may stay small.
   */
  long expectedChunkBytes() {
    return fullChunkBytes.get();
  }

  /** Whether the job has ended. */
  boolean deleted() {
    return deleted;
  }

  public void delete() {
    deleted = true;
  }
}

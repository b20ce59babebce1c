package dev.sailfish.chunkserver;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The chunks of one job on this server, and whether anybody asks for them. Thread-safe. */
final class JobChunks {
  private final String job;
  private final Set<Chunk> chunks = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean active = new AtomicBoolean(true);
  private volatile boolean deleted;

  JobChunks(String job) {
    this.job = job;
  }

  String job() {
    return job;
  }

  Set<Chunk> chunks() {
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

  /** Whether the job has ended. */
  boolean deleted() {
    return deleted;
  }

  void delete() {
    deleted = true;
  }
}

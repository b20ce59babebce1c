package dev.sailfish.testkit.qfs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The chunks of the cluster, who has them and under which leases: what metaserver and chunkservers
 * tell each other in a real QFS. Guarded by the cluster's lock, which is this object.
 */
final class ChunkMap {
  private static final long FIRST_HANDLE = 65_537;

  private final Map<Long, MetaChunk> chunks = new HashMap<>();
  private final List<QfsChunkserver> servers = new ArrayList<>();
  private final LongSupplier nanoClock;
  private final long leaseNs;
  private final long stableAfterNs;
  private long nextHandle = FIRST_HANDLE;
  private long nextId = 1_000_001;
  private int nextServer;

  ChunkMap(QfsServerSettings settings) {
    nanoClock = settings.nanoClock();
    leaseNs = settings.lease().toNanos();
    stableAfterNs = settings.stableAfter().toNanos();
  }

  void add(QfsChunkserver server) {
    servers.add(server);
  }

  long nowNs() {
    return nanoClock.getAsLong();
  }

  long leaseSeconds() {
    return Duration.ofNanos(leaseNs).toSeconds();
  }

  /** A number never given before, for leases and write ids. */
  long newId() {
    return nextId += 2;
  }

  MetaChunk get(long handle) {
    return chunks.get(handle);
  }

  /** A new chunk on servers that are up, the next ones in turn; null if there are none. */
  MetaChunk create(Inode file, long offset, boolean append) {
    List<QfsChunkserver> up = servers.stream().filter(QfsChunkserver::isUp).toList();
    if (up.isEmpty()) {
      return null;
    }
    List<QfsChunkserver> chosen = new ArrayList<>();
    for (int i = 0; i < Math.min(file.replication, up.size()); i++) {
      chosen.add(up.get((nextServer + i) % up.size()));
    }
    nextServer++;
    MetaChunk chunk = new MetaChunk(nextHandle++, file, offset, append, chosen);
    chunks.put(chunk.handle, chunk);
    file.chunks.put(offset, chunk);
    for (QfsChunkserver server : chosen) {
      server.place(chunk, server == chosen.get(0));
    }
    lease(chunk);
    return chunk;
  }

  void remove(MetaChunk chunk) {
    chunks.remove(chunk.handle);
    chunk.file.chunks.remove(chunk.offset);
    chunk.servers.forEach(server -> server.drop(chunk.handle));
  }

  /** Hands out a write lease. */
  void lease(MetaChunk chunk) {
    chunk.writeLeased = true;
    chunk.stable = false;
    chunk.flushing = false;
    chunk.writeLeaseEndNs = nowNs() + leaseNs;
    if (chunk.offset == lastOffset(chunk.file)) {
      chunk.file.size = -1;
    }
  }

  /** Whether the write lease of a chunk is valid; if so it is renewed. */
  boolean renewWriteLease(long handle) {
    MetaChunk chunk = chunks.get(handle);
    if (chunk == null || !chunk.writeLeased) {
      return false;
    }
    chunk.writeLeaseEndNs = nowNs() + leaseNs;
    return true;
  }

  long newReadLease(MetaChunk chunk) {
    long id = newId();
    chunk.readLeases.put(id, nowNs() + leaseNs);
    return id;
  }

  boolean renewReadLease(MetaChunk chunk, long id) {
    chunk.hasReadLease(nowNs());
    return chunk.readLeases.computeIfPresent(id, (lease, end) -> nowNs() + leaseNs) != null;
  }

  /** Asks for a stable chunk; it is one after the settings' time. */
  void flush(MetaChunk chunk) {
    if (!chunk.flushing) {
      chunk.flushing = true;
      chunk.flushedAtNs = nowNs() + stableAfterNs;
    }
    settle();
  }

  /** Ends the leases whose time is over and the flushes that are done. */
  void settle() {
    long now = nowNs();
    for (MetaChunk chunk : chunks.values()) {
      boolean over = chunk.writeLeaseEndNs - now <= 0;
      boolean flushed = chunk.flushing && chunk.flushedAtNs - now <= 0;
      if (chunk.writeLeased && (over || flushed)) {
        relinquish(chunk);
      }
    }
  }

  /** Gives the write lease back: the replicas are made alike and stable, the size is known. */
  void relinquish(MetaChunk chunk) {
    chunk.writeLeased = false;
    chunk.flushing = false;
    chunk.stable = true;
    chunk.full = true;
    List<Replica> replicas = chunk.live().stream().map(s -> s.replica(chunk.handle)).toList();
    int shortest = replicas.stream().mapToInt(Replica::size).min().orElse(0);
    for (Replica replica : replicas) {
      if (chunk.append) {
        replica.resize(shortest);
        replica.appends.settle(shortest);
      }
      replica.stable = true;
    }
    learnSize(chunk.file);
  }

  /** Sets the size of a file whose last chunk is not being written. */
  void learnSize(Inode file) {
    if (file.chunks.isEmpty()) {
      return;
    }
    MetaChunk last = file.chunks.lastEntry().getValue();
    if (!last.writeLeased) {
      int bytes = last.live().stream().mapToInt(s -> s.replica(last.handle).size()).max().orElse(0);
      file.size = last.offset + bytes;
    }
  }

  /** A server is gone: leases that it kept as the first of a chain end. */
  void lost(QfsChunkserver server) {
    for (MetaChunk chunk : chunks.values()) {
      boolean first = chunk.servers.get(0) == server;
      if (chunk.writeLeased && first && chunk.append) {
        relinquish(chunk);
      }
    }
  }

  static long lastOffset(Inode file) {
    return file.chunks.isEmpty() ? -1 : file.chunks.lastKey();
  }
}

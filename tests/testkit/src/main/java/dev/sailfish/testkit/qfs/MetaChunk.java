package dev.sailfish.testkit.qfs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the metaserver knows of a chunk; guarded by the cluster's lock. */
final class MetaChunk {
  final long handle;
  final Inode file;
  final long offset;
  final boolean append;
  long version = 1;

  /** In the order of the chain; some may be down or have an older version. */
  List<QfsChunkserver> servers;

  boolean stable;

  /** Whether a write lease was handed out and not given back. */
  boolean writeLeased;

  long writeLeaseEndNs;

  /** When a flush that was asked for is done; meaningless unless {@link #flushing}. */
  long flushedAtNs;

  boolean flushing;

  /** Whether no more appenders are sent to it. */
  boolean full;

  /** Bytes that appenders said they would reserve. */
  long promisedBytes;

  int appenders;

  /** Read leases to the time in nanoseconds when they end. */
  final Map<Long, Long> readLeases = new HashMap<>();

  MetaChunk(long handle, Inode file, long offset, boolean append, List<QfsChunkserver> servers) {
    this.handle = handle;
    this.file = file;
    this.offset = offset;
    this.append = append;
    this.servers = new ArrayList<>(servers);
  }

  /** The servers that are up and have this version. */
  List<QfsChunkserver> live() {
    return servers.stream().filter(server -> server.has(this)).toList();
  }

  boolean hasReadLease(long nowNs) {
    readLeases.values().removeIf(endNs -> endNs - nowNs <= 0);
    return !readLeases.isEmpty();
  }
}

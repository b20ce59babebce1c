package dev.sailfish.lineage.qfs.read;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.Layout;
import dev.sailfish.lineage.qfs.meta.MetaClient;
import dev.sailfish.lineage.qfs.meta.ReadLeases;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Where the chunks of one open file are, and the leases on those that were read. Asked of the
 * metaserver once, and again for a chunk whose servers fail. Thread-safe.
 */
final class ChunkLocator {
  private final String path;
  private final long file;
  private final MetaClient meta;
  private final ReadLeases leases;
  private final Map<Long, ChunkInfo> known = new HashMap<>();
  private final Set<Long> leased = new HashSet<>();

  ChunkLocator(String path, long file, MetaClient meta, ReadLeases leases, Layout layout) {
    this.path = path;
    this.file = file;
    this.meta = meta;
    this.leases = leases;
    layout.chunks().forEach(chunk -> known.put(chunk.offset(), chunk));
  }

  /**
   * The chunk for an offset of the file.
   *
   * @return null: there is a hole
   */
  synchronized ChunkInfo at(long offset) throws IOException {
    ChunkInfo chunk = known.get(offset - offset % ChunkInfo.BYTES);
    if (chunk != null && leased.add(chunk.id()) && !leases.acquire(path, chunk.id())) {
      leased.remove(chunk.id());
    }
    return chunk;
  }

  /**
   * The same, asked anew.
   *
   * @return null: there is a hole now
   */
  synchronized ChunkInfo refresh(long offset) throws IOException {
    long start = offset - offset % ChunkInfo.BYTES;
    try {
      ChunkInfo chunk = meta.chunkAt(path, file, start);
      known.put(start, chunk);
      return chunk;
    } catch (QfsException e) {
      if (e.error() == QfsError.ENOENT) {
        known.remove(start);
        return null;
      }
      throw e;
    }
  }

  /** Gives the leases back. */
  synchronized void release() {
    leased.forEach(leases::release);
    leased.clear();
  }
}

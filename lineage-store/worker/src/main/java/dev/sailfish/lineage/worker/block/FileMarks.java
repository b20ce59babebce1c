package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the master says of the files of which there are blocks here: whose they are, and which of
 * them are pinned. A pinned block stays in memory if it is there, as far as there is room for such
 * blocks. All of it ends with the process, and is asked for again. Thread-safe.
 */
public final class FileMarks {
  /** Whose a block is whose file the master was not asked for yet. */
  public static final String NOBODY = "";

  private static final double PERCENT = 100;

  private final Owner segments;
  private final BlockTable blocks;
  private final int pinnedPercent;
  private final Map<Long, String> owners = new ConcurrentHashMap<>();

  /** The blocks that are kept in memory, as they were when they were pinned. */
  private final Map<BlockId, Segment> pinned = new HashMap<>();

  /** Those for which there is no room, with their bytes. */
  private final Map<BlockId, Long> unpinned = new HashMap<>();

  private long pinnedBytes;

  /**
   * @param pinnedPercent how much of the memory pinned blocks may have
   */
  public FileMarks(Owner segments, BlockTable blocks, int pinnedPercent) {
    this.segments = segments;
    this.blocks = blocks;
    this.pinnedPercent = pinnedPercent;
  }

  /** Whose a segment is. */
  public String owner(Segment segment) {
    return BlockId.ofSegment(segment.name())
        .map(id -> owners.getOrDefault(id.fid(), NOBODY))
        .orElse(NOBODY);
  }

  /**
   * The master says what it knows of a file.
   *
   * @param owner null: the file is not there
   */
  public void told(long fid, String owner, boolean isPinned) {
    if (owner == null) {
      owners.remove(fid);
    } else {
      owners.put(fid, owner);
    }
    for (BlockId id : blocks.of(fid)) {
      if (isPinned) {
        pin(id);
      } else {
        unpin(id);
      }
    }
  }

  private synchronized void pin(BlockId id) {
    Segment segment = segments.find(id.segment()).orElse(null);
    boolean isInMemory = segment != null && segment.tier() == Tier.MEMORY;
    if (!isInMemory || pinned.get(id) == segment) {
      return;
    }
    unpin(id); // it was here before, and has come again
    double limit = segments.usage().capacityBytes(Tier.MEMORY) / PERCENT * pinnedPercent;
    long bytes = segment.length();
    if (pinnedBytes + bytes > limit) {
      unpinned.put(id, bytes);
    } else if (segment.pin()) {
      unpinned.remove(id);
      pinned.put(id, segment);
      pinnedBytes += bytes;
    }
  }

  private synchronized void unpin(BlockId id) {
    unpinned.remove(id);
    Segment segment = pinned.remove(id);
    if (segment != null) {
      pinnedBytes -= segment.length();
      segment.unpin();
    }
  }

  /** Forgets blocks that are not here any more, and files that have none. */
  public synchronized void settle() {
    pinned.entrySet().removeIf(entry -> !isHere(entry.getKey(), entry.getValue()));
    pinnedBytes = pinned.values().stream().mapToLong(Segment::length).sum();
    unpinned.keySet().removeIf(id -> blocks.tier(id) != Tier.MEMORY);
    if (owners.size() > 2 * blocks.size()) {
      Iterator<Long> fids = owners.keySet().iterator();
      while (fids.hasNext()) {
        if (blocks.of(fids.next()).isEmpty()) {
          fids.remove();
        }
      }
    }
  }

  private boolean isHere(BlockId id, Segment segment) {
    return segments.find(id.segment()).filter(now -> now == segment).isPresent();
  }

  /** Bytes of blocks that are kept in memory. */
  public synchronized long pinnedBytes() {
    return pinnedBytes;
  }

  /** Bytes of blocks in memory that are pinned, and for which there is no room as such. */
  public synchronized long unpinnedBytes() {
    return unpinned.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Bytes of blocks that are kept in memory, of each user. */
  public synchronized Map<String, Long> pinnedByOwner() {
    Map<String, Long> byOwner = new HashMap<>();
    pinned.forEach(
        (id, segment) ->
            byOwner.merge(owners.getOrDefault(id.fid(), NOBODY), segment.length(), Long::sum));
    return byOwner;
  }
}

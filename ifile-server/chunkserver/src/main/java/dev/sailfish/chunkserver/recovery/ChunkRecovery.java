package dev.sailfish.chunkserver.recovery;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.HeldBlocks;
import dev.sailfish.chunkserver.chunk.RecoveredChunk;
import dev.sailfish.chunkserver.chunk.SegmentName;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.server.metrics.Metrics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over the chunks that an earlier process left in its segments, whether it stopped or died.
 *
 * <ul>
 *   <li>A sealed segment holds a SORTED chunk, which is served as it is.
 *   <li>An open one holds a chunk that was OPEN or STABLE. It becomes STABLE with the blocks that
 *       {@link ChunkScan} finds, and is sorted.
 *   <li>What a chunksorter had not finished, what it was sorted from when the sorted one is there,
 *       and what is damaged is deleted.
 *   <li>What another release wrote, in a format that this one does not read, is left to that one.
 * </ul>
 *
 * <p>Used once, by the thread that starts the server, before anybody else knows the chunks.
 */
public final class ChunkRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkRecovery.class);

  private final Owner store;
  private final ChunkTable chunks;
  private final Metrics<ChunkserverMetric> metrics;

  public ChunkRecovery(Owner store, ChunkTable chunks, Metrics<ChunkserverMetric> metrics) {
    this.store = store;
    this.chunks = chunks;
    this.metrics = metrics;
  }

  /**
   * Takes over what is there.
   *
   * @throws IOException when another release wrote some of it
   */
  public void run() throws IOException {
    for (Segment segment : store.recovery().sealed()) {
      nameOf(segment).observe();
      recoverSorted(segment);
    }
    List<Segment> unsealed = new ArrayList<>(store.recovery().unsealed());
    unsealed.sort(Comparator.comparingLong((Segment s) -> nameOf(s).number()).reversed());
    for (Segment segment : unsealed) {
      SegmentName name = nameOf(segment);
      name.observe();
      if (name.output()) {
        LOG.info("segment={} was not sorted to its end: deleted", segment.name());
        segment.delete();
      } else {
        recoverAppended(segment, name);
      }
    }
    for (Segment segment : store.recovery().damaged()) {
      segment.damage().ifPresent(damage -> forget(segment, damage.getMessage()));
    }
  }

  private static SegmentName nameOf(Segment segment) {
    return SegmentName.parse(segment.name());
  }

  private void recoverSorted(Segment segment) throws IOException {
    try {
      ByteBuffer bytes = segment.buffer();
      ChunkHeader header = ChunkHeader.read(bytes, segment.length());
      ChunkTail tail = ChunkTail.read(bytes, segment.length());
      List<RecoveredChunk> found =
          RecoveredChunk.sorted(header, tail, segment, id -> !chunks.holds(id), null);
      if (!found.isEmpty()) {
        found.forEach(chunks::recover);
        LOG.info("{} recovered SORTED records={}", label(found), tail.records());
      } else if (tail.isShared()) {
        LOG.info("segment={} holds chunks that others hold, too: deleted", segment.name());
        segment.delete();
      } else {
        forget(segment, "job=%s chunk=%x is there twice".formatted(header.job(), header.chunkId()));
      }
    } catch (UnsupportedFormatException e) {
      throw otherRelease(segment, e);
    } catch (FormatException e) {
      forget(segment, e.getMessage());
    }
  }

  private static String label(List<RecoveredChunk> found) {
    String others = found.size() == 1 ? "" : " and of the same file " + (found.size() - 1);
    return found.get(0).spec().label() + others;
  }

  private void recoverAppended(Segment segment, SegmentName name) throws IOException {
    ChunkScan scan;
    try {
      scan = ChunkScan.of(segment.buffer(), (int) segment.length());
    } catch (UnsupportedFormatException e) {
      throw otherRelease(segment, e);
    } catch (FormatException e) {
      forget(segment, e.getMessage());
      return;
    }
    HeldBlocks held = scan.held();
    ChunkSpec spec = ChunkSpec.of(scan.header(), held.rawBytes());
    if (!name.isOf(spec.job(), spec.id())) {
      // The process died between taking the segment and writing the chunk's header to it.
      LOG.info("segment={} holds an older chunk, {}: deleted", segment.name(), spec.label());
      segment.delete();
    } else if (chunks.holds(spec.id())) {
      LOG.info("segment={} was sorted already, {}: deleted", segment.name(), spec.label());
      segment.delete();
    } else {
      long room = spec.sortRoom(held.blocks(), held.records(), held.rawBytes(), scan.end());
      segment.trim(Math.min(scan.end() + room, segment.length()));
      chunks.recover(RecoveredChunk.stable(spec, segment, held, scan.end()));
      LOG.info(
          "{} recovered STABLE blocks={} records={} voids={}",
          spec.label(),
          held.blocks(),
          held.records(),
          scan.voids());
    }
  }

  private static IOException otherRelease(Segment segment, UnsupportedFormatException e) {
    return new IOException(
        "segment=%s was written by another release: %s; start that release, or empty memory.dir and data.dirs"
                .formatted(segment.name(), e.getMessage())
            + " when no job needs what is in them",
        e);
  }

  private void forget(Segment segment, String why) {
    LOG.warn("segment={} of an earlier process is damaged: deleted: {}", segment.name(), why);
    metrics.increment(ChunkserverMetric.LOSSES);
    segment.delete();
  }
}

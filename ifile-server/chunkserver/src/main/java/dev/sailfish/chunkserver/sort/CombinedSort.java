package dev.sailfish.chunkserver.sort;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.SegmentName;
import dev.sailfish.chunkserver.chunk.SharedFile;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.Sorter;
import dev.sailfish.chunksorter.StableChunk;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.FormatException;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sorts small chunks of one I-file into one file, so that a reader has one run of them. The chunks
 * stay what they are to everyone else: each is reported, read, moved and deleted by its own id, and
 * the file goes with the last of them.
 *
 * <p>The file is sealed before the first chunk is SORTED; a process that dies before that leaves
 * the chunks as they were. When anything is in the way - damage in one of them, no room, no key -
 * nothing has changed, and they are sorted one by one. Thread-safe.
 */
final class CombinedSort {
  private static final Logger LOG = LoggerFactory.getLogger(CombinedSort.class);

  private final DataKeys keys;
  private final Owner store;
  private final Metrics<ChunkserverMetric> metrics;

  CombinedSort(DataKeys keys, Owner store, Metrics<ChunkserverMetric> metrics) {
    this.keys = keys;
    this.store = store;
    this.metrics = metrics;
  }

  /**
   * Sorts chunks and ends their sorts.
   *
   * @return false when they have to be sorted one by one
   */
  boolean sort(Sorter sorter, List<Chunk> chunks) {
    List<Chunk> sorted = new ArrayList<>();
    List<Chunk.Unsorted> unsorted = new ArrayList<>();
    for (Chunk chunk : chunks) {
      Chunk.Unsorted bytes = chunk.beginSort();
      if (bytes != null) {
        sorted.add(chunk);
        unsorted.add(bytes);
      }
    }
    try {
      return sorted.size() > 1 && sort(sorter, sorted, unsorted);
    } catch (FormatException | NoSpaceException e) {
      LOG.info("{} and others are sorted one by one: {}", label(chunks), e.getMessage());
      return false;
    } catch (RuntimeException | VirtualMachineError e) {
      LOG.error("{} and others could not be sorted as one", label(chunks), e);
      return false;
    } finally {
      unsorted.forEach(bytes -> bytes.segment().release());
    }
  }

  private static String label(List<Chunk> chunks) {
    return chunks.get(0).spec().label();
  }

  private boolean sort(Sorter sorter, List<Chunk> chunks, List<Chunk.Unsorted> unsorted)
      throws FormatException, NoSpaceException {
    long start = System.nanoTime();
    ChunkSpec spec = chunks.get(0).spec();
    DataCipher cipher = null;
    if (spec.needsKey()) {
      byte[] key = keys.dataKey(spec.job(), UNHEARD);
      if (key == null) {
        return false;
      }
      cipher = new DataCipher(key);
    }
    List<StableChunk> inputs = new ArrayList<>();
    for (Chunk.Unsorted bytes : unsorted) {
      inputs.add(new StableChunk(bytes.segment().buffer(), bytes.length()));
    }
    long bound = ChunkSorter.maxSortedLength(inputs);
    String name = SegmentName.forOutput(spec.job(), spec.id());
    Segment output = store.allocate(name, spec.segmentCapacity(bound), bound, Tier.MEMORY);
    boolean handedOver = false;
    try {
      SortResult result = sorter.sortTogether(inputs, output.buffer(), cipher);
      output.seal(result.length());
      handedOver = true;
      handOver(chunks, output, result);
      metrics.add(ChunkserverMetric.SEEKS, chunks.size() + 1); // each is read once
      metrics.add(ChunkserverMetric.COMBINED_CHUNKS, chunks.size());
      SorterPool.count(metrics, result, start);
    } finally {
      if (!handedOver) {
        output.delete();
      }
    }
    return true;
  }

  private static void handOver(List<Chunk> chunks, Segment output, SortResult result) {
    List<Long> ids = chunks.stream().map(chunk -> chunk.spec().id()).toList();
    long rawBytes = chunks.stream().mapToLong(Chunk::rawBytes).sum();
    SharedFile shared = new SharedFile(ids, ids, rawBytes);
    chunks.forEach(chunk -> chunk.endSort(output, result, shared));
  }

  /** The sorts of the single chunks ask for the key again, and hear of it. */
  private static final Authenticator.Answer UNHEARD =
      new Authenticator.Answer() {
        @Override
        public void found(Principal principal, byte[] key) {}

        @Override
        public void introduce() {}

        @Override
        public void refused(Status status, String message) {}
      };
}

package dev.sailfish.imerger;

import dev.sailfish.format.KeyComparator;
import dev.sailfish.format.KeyOrder;
import dev.sailfish.format.Ordering;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code scan(ifile, buffer, lower_key, upper_key)}: the records of one partition with {@code lower
 * <= key < upper} in key order, out of all runs of all chunks of all racks.
 *
 * <pre>{@code
 * try (IfileScanner scanner = IfileScanner.open(config, job, partition, order, "who asks")) {
 *   scanner.scan(lower, upper);
 *   while (scanner.next()) {
 *     use(scanner.keyBuffer(), scanner.keyOffset(), scanner.keyLength(), ...);
 *   }
 * }
 * }</pre>
 *
 * <p>Keys go in and come out as the job serializes them; with {@code KeyEncoding.RAW} in normalized
 * form. Chunks that still take appends are made stable by a scan, as by a reduce task. For one
 * thread; may scan any number of times.
 */
public final class IfileScanner implements Closeable {
  private final MergeSession session;
  private final KeyOrder order;
  private List<SortedChunk> chunks = new ArrayList<>();
  private RunMerge merge;
  private RunCursor current;
  private byte[] lowerKey;
  private byte[] upperKey;
  private boolean below;
  private int keyOffset;
  private int keyLength;

  private IfileScanner(MergeSession session) {
    this.session = session;
    this.order = session.order();
    session.readByKey();
  }

  /**
   * Makes a scanner; no server is asked yet.
   *
   * @param caller who reads, for the servers' logs
   */
  public static IfileScanner open(
      ImergerConfig config, String job, int partition, KeyOrder order, String caller) {
    return new IfileScanner(new MergeSession(config, job, partition, order, caller));
  }

  /**
   * Begins a scan over the blocks of all map attempts, each block once.
   *
   * @param lower the first key, or null for the beginning
   * @param upper the key behind the last, or null for the end
   */
  public void scan(byte[] lower, byte[] upper) throws IOException {
    begin(lower, upper);
    DescribeJobResponse job = session.describe();
    ChunkSet set = new ChunkSet(session);
    for (int i = 0; i < job.getChunksCount(); i++) {
      ChunkDescription chunk = job.getChunks(i);
      if (chunk.getPartition() == session.partition()) {
        chunks.add(set.locate(chunk.getChunk(), chunk.getHost(), chunk.getPort()));
      }
    }
    set.awaitSorted(chunks);
    rankAll();
    mergeRuns();
  }

  /**
   * Begins a scan over the blocks of these map attempts.
   *
   * @param winners pairs (map, attempt), at most one for each map
   */
  public void scan(byte[] lower, byte[] upper, int[] winners) throws IOException {
    begin(lower, upper);
    PlanPartitionResponse plan = session.plan(winners, false);
    AcceptedBlocks accepted = AcceptedBlocks.of(plan);
    ChunkSet set = new ChunkSet(session);
    chunks = set.required(plan, accepted);
    for (SortedChunk chunk : chunks) {
      chunk.setOwners(accepted.ownersOf(chunk.id()));
    }
    set.awaitSorted(chunks);
    set.accept(chunks, accepted);
    mergeRuns();
  }

  private void begin(byte[] lower, byte[] upper) {
    close();
    lowerKey = lower == null ? null : normalized(lower);
    upperKey = upper == null ? null : normalized(upper);
    below = lower != null;
  }

  private byte[] normalized(byte[] key) {
    byte[] copy = key.clone();
    int stripped = order.encoding().normalize(copy, 0, copy.length);
    return stripped == 0 ? copy : Arrays.copyOfRange(copy, stripped, copy.length);
  }

  /** Gives every block its rank in (map, attempt, sequence) order, and repeated ones none. */
  private void rankAll() {
    SortedMap<List<Integer>, int[]> blocks = new TreeMap<>(IfileScanner::compareBlocks);
    for (int i = 0; i < chunks.size(); i++) {
      ChunkIndex index = chunks.get(i).index();
      int[] unranked = new int[index.sources()];
      Arrays.fill(unranked, AcceptedBlocks.NOT_ACCEPTED);
      chunks.get(i).setRanks(unranked);
      for (int source = 0; source < index.sources(); source++) {
        List<Integer> block =
            List.of(
                index.sourceMap(source), index.sourceAttempt(source), index.sourceSequence(source));
        blocks.putIfAbsent(block, new int[] {i, source});
      }
    }
    int rank = 0;
    for (int[] place : blocks.values()) {
      chunks.get(place[0]).ranks()[place[1]] = rank++;
    }
    for (SortedChunk chunk : chunks) {
      chunk.setRanks(chunk.ranks());
    }
  }

  private static int compareBlocks(List<Integer> left, List<Integer> right) {
    for (int i = 0; i < left.size(); i++) {
      int order = Integer.compare(left.get(i), right.get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private void mergeRuns() throws IOException {
    List<RunCursor> runs;
    if (order.ordering() == Ordering.COMPARATOR) {
      runs = ChunkSet.runs(chunks);
    } else if (session.encrypted()) {
      EncryptedRange range = new EncryptedRange(lowerKey, upperKey);
      runs = new ArrayList<>();
      for (SortedChunk chunk : chunks) {
        range.addRuns(chunk, runs);
      }
    } else {
      byte[] from = lowerKey == null ? new byte[0] : lowerKey;
      runs = new ArrayList<>();
      for (SortedChunk chunk : chunks) {
        for (int run = 0; run < chunk.index().runs(); run++) {
          runs.add(new RangeRun(chunk, run, from, upperKey));
        }
      }
    }
    merge = new ExternalMerge(session, Collections.unmodifiableList(runs)).begin();
  }

  /**
   * Moves to the next record of the range.
   *
   * @return false behind the last one
   */
  public boolean next() throws IOException {
    if (merge == null) {
      return false;
    }
    boolean found = false;
    try {
      current = merge.next();
      while (below && current != null && compareKey(lowerKey) < 0) {
        current = merge.next();
      }
      below = false;
      found = current != null && (upperKey == null || compareKey(upperKey) < 0);
    } finally {
      if (!found) {
        close();
      }
    }
    if (found) {
      session.statistics().records++;
      int length = current.keyLength();
      int stripped = order.encoding().denormalize(current.buffer(), current.keyOffset(), length);
      keyOffset = current.keyOffset() - stripped;
      keyLength = length + stripped;
    }
    return found;
  }

  private int compareKey(byte[] key) {
    byte[] buffer = current.buffer();
    int offset = current.keyOffset();
    KeyComparator comparator = order.comparator();
    return comparator == null
        ? Arrays.compareUnsigned(buffer, offset, offset + current.keyLength(), key, 0, key.length)
        : comparator.compare(buffer, offset, current.keyLength(), key, 0, key.length);
  }

  /** The array with the serialized key; valid until {@link #next}, not to be changed. */
  public byte[] keyBuffer() {
    return current.buffer();
  }

  /** Where the key begins in {@link #keyBuffer}. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Length of the key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** The array with the serialized value; valid until {@link #next}, not to be changed. */
  public byte[] valueBuffer() {
    return current.buffer();
  }

  /** Where the value begins in {@link #valueBuffer}. */
  public int valueOffset() {
    return current.valueOffset();
  }

  /** Length of the value in bytes. */
  public int valueLength() {
    return current.valueLength();
  }

  /** The figures of all scans so far, live. */
  public MergeStatistics statistics() {
    return session.statistics();
  }

  /** Ends the scan and gives memory, files and connections back; another scan may begin. */
  @Override
  public void close() {
    if (merge != null) {
      merge.release();
      merge = null;
    }
    for (SortedChunk chunk : chunks) {
      chunk.release();
    }
    chunks = new ArrayList<>();
    current = null;
    session.close();
  }
}

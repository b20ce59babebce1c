package dev.sailfish.imerger;

import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The appended blocks of one partition that count: those in the manifests of the winning attempts.
 * Each has a rank, its position in (map, sequence) order; records with equal keys are delivered in
 * the order of their ranks. A winner that ran again may count on the blocks of an earlier attempt.
 *
 * <p>Flat arrays: winners ascending by map, and for each its ranges of sequences, ascending.
 */
final class AcceptedBlocks {
  /** What {@link #rank} returns for a block that does not count. */
  static final int NOT_ACCEPTED = -1;

  /** Most blocks of a partition: there is a bit in memory for each. */
  static final int MAX_BLOCKS = 1 << 28;

  private final int[] map;
  private final int[] attempt;
  private final int[] blockAttempt;
  private final long[] records;
  private final long[] found;
  private final BitSet taken = new BitSet();
  private final int[] rangesEnd;
  private int[] first = new int[16];
  private int[] count = new int[16];
  private int[] rank = new int[16];
  private long[] chunk = new long[16];
  private int ranges;
  private int blocks;
  private long totalRecords;
  private long totalRecordBytes;
  private long checksum;
  private int mapOutputs;
  private final Map<Long, Integer> blocksByChunk = new HashMap<>();

  /** No blocks of so many winners. */
  AcceptedBlocks(int winners) {
    map = new int[winners];
    attempt = new int[winners];
    blockAttempt = new int[winners];
    records = new long[winners];
    found = new long[winners];
    rangesEnd = new int[winners];
  }

  /**
   * Reads the manifests of a plan; those that are not known have no blocks.
   *
   * @throws IOException when a manifest contradicts itself
   */
  static AcceptedBlocks of(PlanPartitionResponse plan) throws IOException {
    int winners = plan.getWinnersCount();
    long[] byMap = new long[winners];
    for (int i = 0; i < winners; i++) {
      byMap[i] = (long) plan.getWinners(i).getMap() << 32 | i;
    }
    Arrays.sort(byMap);
    AcceptedBlocks accepted = new AcceptedBlocks(winners);
    for (int i = 0; i < winners; i++) {
      accepted.addWinner(i, plan.getWinners((int) byMap[i]));
    }
    return accepted;
  }

  /** How many winners have any block. */
  int mapOutputs() {
    return mapOutputs;
  }

  private void addWinner(int winner, WinnerManifest manifest) throws IOException {
    map[winner] = manifest.getMap();
    attempt[winner] = manifest.getAttempt();
    blockAttempt[winner] = manifest.getBlockAttempt();
    if (winner > 0 && map[winner - 1] == map[winner]) {
      throw new IOException(
          "plan names two winners of map=%s: attempts=%s and %s"
              .formatted(map[winner], attempt[winner - 1], attempt[winner]));
    }
    records[winner] = manifest.getRecords();
    totalRecords += manifest.getRecords();
    totalRecordBytes += manifest.getRecordBytes();
    checksum += manifest.getChecksum();
    mapOutputs += manifest.getBlocksCount() > 0 ? 1 : 0;
    int ofWinner = 0;
    for (int i = 0; i < manifest.getBlocksCount(); i++) {
      ofWinner += manifest.getBlocks(i).getSequencesCount() / 2;
    }
    long[] bySequence = new long[ofWinner];
    int[] counts = new int[ofWinner];
    long[] chunks = new long[ofWinner];
    int next = 0;
    for (int i = 0; i < manifest.getBlocksCount(); i++) {
      ChunkBlocks inChunk = manifest.getBlocks(i);
      for (int j = 0; j + 1 < inChunk.getSequencesCount(); j += 2) {
        bySequence[next] = (long) inChunk.getSequences(j) << 32 | next;
        counts[next] = inChunk.getSequences(j + 1);
        chunks[next++] = inChunk.getChunk();
      }
    }
    Arrays.sort(bySequence);
    for (long entry : bySequence) {
      addRange(winner, (int) (entry >>> 32), counts[(int) entry], chunks[(int) entry]);
    }
    rangesEnd[winner] = ranges;
  }

  private void addRange(int winner, int sequence, int blocksOfRange, long chunkId)
      throws IOException {
    if (blocksOfRange == 0) {
      return;
    }
    boolean later = ranges > (winner == 0 ? 0 : rangesEnd[winner - 1]);
    boolean inRange =
        sequence >= 0
            && blocksOfRange > 0
            && (long) sequence + blocksOfRange <= Integer.MAX_VALUE
            && (long) blocks + blocksOfRange <= MAX_BLOCKS;
    if (!inRange || later && first[ranges - 1] + count[ranges - 1] > sequence) {
      throw new IOException(
          "manifest of map=%s attempt=%s %s: sequence=%s count=%s chunk=%x"
              .formatted(
                  map[winner],
                  attempt[winner],
                  inRange ? "names a block twice" : "is out of range",
                  sequence,
                  blocksOfRange,
                  chunkId));
    }
    if (ranges == first.length) {
      first = Arrays.copyOf(first, 2 * ranges);
      count = Arrays.copyOf(count, 2 * ranges);
      rank = Arrays.copyOf(rank, 2 * ranges);
      chunk = Arrays.copyOf(chunk, 2 * ranges);
    }
    first[ranges] = sequence;
    count[ranges] = blocksOfRange;
    rank[ranges] = blocks;
    chunk[ranges++] = chunkId;
    blocks += blocksOfRange;
    blocksByChunk.put(chunkId, blocksIn(chunkId) + blocksOfRange);
  }

  /** How many blocks count. */
  int blocks() {
    return blocks;
  }

  /**
   * Whether the records of all of them are as many as were delivered, and the same ones.
   *
   * @param bytes of the keys, as they are stored, and values
   * @param sum of the records' {@link dev.sailfish.format.RecordChecksum}
   */
  boolean hold(long deliveredRecords, long bytes, long sum) {
    return deliveredRecords == totalRecords && bytes == totalRecordBytes && sum == checksum;
  }

  /** What {@link #hold} compares with, for an error. */
  String describeRecords() {
    return "records=%s bytes=%s checksum=%x".formatted(totalRecords, totalRecordBytes, checksum);
  }

  /** How many blocks count that are in this chunk. */
  int blocksIn(long chunkId) {
    return blocksByChunk.getOrDefault(chunkId, 0);
  }

  /** The chunks that blocks that count are in, ascending by id. */
  long[] chunks() {
    long[] ids = new long[blocksByChunk.size()];
    int next = 0;
    for (Long id : blocksByChunk.keySet()) {
      ids[next++] = id;
    }
    Arrays.sort(ids);
    return ids;
  }

  /** Rank of a source of a chunk, or {@link #NOT_ACCEPTED}. */
  int rank(ChunkTail tail, int source, long chunkId) {
    return rank(
        tail.sourceMap(source), tail.sourceAttempt(source), tail.sourceSequence(source), chunkId);
  }

  /** Rank of a block, or {@link #NOT_ACCEPTED} when it does not count or counts elsewhere. */
  int rank(int blockMap, int attemptOfBlock, int sequence, long chunkId) {
    int winner = Arrays.binarySearch(map, blockMap);
    if (winner < 0 || blockAttempt[winner] != attemptOfBlock) {
      return NOT_ACCEPTED;
    }
    int low = winner == 0 ? 0 : rangesEnd[winner - 1];
    int range = Arrays.binarySearch(first, low, rangesEnd[winner], sequence);
    if (range < 0) {
      range = -range - 2;
    }
    if (range < low || sequence - first[range] >= count[range] || chunk[range] != chunkId) {
      return NOT_ACCEPTED;
    }
    return rank[range] + sequence - first[range];
  }

  /**
   * Takes a source of a chunk for the block that it holds, each block once.
   *
   * @return its rank; {@link #NOT_ACCEPTED} also when the block was taken before
   */
  int take(ChunkTail tail, int source, long chunkId) {
    int rankOfSource = rank(tail, source, chunkId);
    if (rankOfSource < 0 || taken.get(rankOfSource)) {
      return NOT_ACCEPTED;
    }
    taken.set(rankOfSource);
    found[Arrays.binarySearch(map, tail.sourceMap(source))] += tail.sourceRecords(source);
    return rankOfSource;
  }

  /**
   * Compares the blocks that were taken with what the manifests promise.
   *
   * @throws IOException naming the first winner whose counts differ, with both
   */
  void checkFound() throws IOException {
    for (int i = 0; i < map.length; i++) {
      if (found[i] != records[i]) {
        throw new IOException(
            "records of map=%s attempt=%s: manifest says %s, its blocks hold %s"
                .formatted(map[i], attempt[i], records[i], found[i]));
      }
    }
  }

  /** Pairs (map, attempt) of winners with blocks in this chunk, ascending by map. */
  int[] ownersOf(long chunkId) {
    int[] pairs = new int[2 * map.length];
    int length = 0;
    int range = 0;
    for (int winner = 0; winner < map.length; winner++) {
      boolean owner = false;
      for (; range < rangesEnd[winner]; range++) {
        owner |= chunk[range] == chunkId;
      }
      if (owner) {
        pairs[length++] = map[winner];
        pairs[length++] = attempt[winner];
      }
    }
    return Arrays.copyOf(pairs, length);
  }
}

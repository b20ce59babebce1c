package dev.sailfish.metaserver;

import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.transport.RequestRefusedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What one map attempt wrote, in arrays, because there is one per map and each has up to all
 * partitions. Immutable.
 *
 * <pre>
 *   partitions[i], records[i], rawBytes[i]        i-th partition with blocks, ascending
 *   entries firstEntry[i] .. firstEntry[i+1]      its chunks
 *   chunks[e]                                     chunk of entry e
 *   sequences firstSequence[e] .. [e+1]           pairs (first sequence, count) in that chunk
 * </pre>
 */
final class Manifest {
  private final int[] partitions;
  private final long[] records;
  private final long[] rawBytes;
  private final int[] firstEntry;
  private final long[] chunks;
  private final int[] firstSequence;
  private final int[] sequences;

  private Manifest(List<PartitionManifest> sorted, int entries, int pairNumbers) {
    int count = sorted.size();
    partitions = new int[count];
    records = new long[count];
    rawBytes = new long[count];
    firstEntry = new int[count + 1];
    chunks = new long[entries];
    firstSequence = new int[entries + 1];
    sequences = new int[pairNumbers];
    int entry = 0;
    int sequence = 0;
    for (int i = 0; i < count; i++) {
      PartitionManifest partition = sorted.get(i);
      partitions[i] = partition.getPartition();
      records[i] = partition.getRecords();
      rawBytes[i] = partition.getRawBytes();
      for (ChunkBlocks blocks : partition.getBlocksList()) {
        chunks[entry++] = blocks.getChunk();
        for (int number : blocks.getSequencesList()) {
          sequences[sequence++] = number;
        }
        firstSequence[entry] = sequence;
      }
      firstEntry[i + 1] = entry;
    }
  }

  /**
   * Packs what an iappender sent.
   *
   * @throws RequestRefusedException BAD_REQUEST when a partition comes twice or block numbers make
   *     no sense
   */
  static Manifest of(AttemptId attempt, List<PartitionManifest> told)
      throws RequestRefusedException {
    List<PartitionManifest> sorted = new ArrayList<>(told);
    sorted.sort(Comparator.comparingInt(PartitionManifest::getPartition));
    int entries = 0;
    int pairNumbers = 0;
    int before = -1;
    for (PartitionManifest partition : sorted) {
      if (partition.getPartition() == before) {
        throw bad(attempt, before, "it comes twice");
      }
      before = partition.getPartition();
      for (ChunkBlocks blocks : partition.getBlocksList()) {
        checkPairs(attempt, before, blocks.getSequencesList());
        pairNumbers += blocks.getSequencesCount();
      }
      entries += partition.getBlocksCount();
    }
    return new Manifest(sorted, entries, pairNumbers);
  }

  private static void checkPairs(AttemptId attempt, int partition, List<Integer> pairs)
      throws RequestRefusedException {
    if (pairs.isEmpty() || pairs.size() % 2 != 0) {
      throw bad(attempt, partition, "sequences are no pairs: numbers=" + pairs.size());
    }
    long end = 0;
    for (int i = 0; i < pairs.size(); i += 2) {
      long first = Integer.toUnsignedLong(pairs.get(i));
      long count = Integer.toUnsignedLong(pairs.get(i + 1));
      if (first < end || count == 0) {
        throw bad(attempt, partition, "blocks do not ascend: first=" + first + " count=" + count);
      }
      end = first + count;
    }
  }

  private static RequestRefusedException bad(AttemptId attempt, int partition, String why) {
    return new RequestRefusedException(
        Status.BAD_REQUEST,
        "manifest of " + attempt + " is damaged at partition=" + partition + ": " + why);
  }

  /** Partitions that have an entry, ascending. */
  int[] partitions() {
    return partitions.clone();
  }

  /** Raw bytes over all partitions. */
  long totalRawBytes() {
    return Arrays.stream(rawBytes).sum();
  }

  /** Calls for the chunk of each entry of a partition. */
  void forEachChunk(int partition, LongConsumer consumer) {
    int i = Arrays.binarySearch(partitions, partition);
    if (i >= 0) {
      for (int entry = firstEntry[i]; entry < firstEntry[i + 1]; entry++) {
        consumer.accept(chunks[entry]);
      }
    }
  }

  /** Adds what there is of a partition to a winner's entry. */
  void describe(int partition, WinnerManifest.Builder winner) {
    int i = Arrays.binarySearch(partitions, partition);
    if (i < 0) {
      return;
    }
    winner.setRecords(records[i]).setRawBytes(rawBytes[i]);
    for (int entry = firstEntry[i]; entry < firstEntry[i + 1]; entry++) {
      ChunkBlocks.Builder blocks = ChunkBlocks.newBuilder().setChunk(chunks[entry]);
      for (int s = firstSequence[entry]; s < firstSequence[entry + 1]; s++) {
        blocks.addSequences(sequences[s]);
      }
      winner.addBlocks(blocks);
    }
  }

  /** As an iappender would send it. */
  List<PartitionManifest> partitionManifests() {
    List<PartitionManifest> told = new ArrayList<>(partitions.length);
    for (int partition : partitions) {
      WinnerManifest.Builder entry = WinnerManifest.newBuilder();
      describe(partition, entry);
      told.add(
          PartitionManifest.newBuilder()
              .setPartition(partition)
              .setRecords(entry.getRecords())
              .setRawBytes(entry.getRawBytes())
              .addAllBlocks(entry.getBlocksList())
              .build());
    }
    return told;
  }

  /** Whether both say the same. */
  boolean sameAs(Manifest other) {
    return Arrays.equals(partitions, other.partitions)
        && Arrays.equals(records, other.records)
        && Arrays.equals(rawBytes, other.rawBytes)
        && Arrays.equals(firstEntry, other.firstEntry)
        && Arrays.equals(chunks, other.chunks)
        && Arrays.equals(firstSequence, other.firstSequence)
        && Arrays.equals(sequences, other.sequences);
  }
}

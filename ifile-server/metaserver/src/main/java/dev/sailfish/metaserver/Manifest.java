package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.SnapshotManifest;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.HeldPartition;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.transport.RequestRefusedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * What one map attempt wrote, or made again and found held, in arrays, because there is one per map
 * and each has up to all partitions. Immutable.
 *
 * <pre>
 *   partitions[i], records[i], recordBytes[i],    i-th partition with blocks, ascending
 *     checksums[i], rawBytes[i]
 *   attempts[i]                                   attempt that wrote its blocks
 *   entries firstEntry[i] .. firstEntry[i+1]      its chunks
 *   chunks[e]                                     chunk of entry e
 *   sequences firstSequence[e] .. [e+1]           pairs (first sequence, count) in that chunk
 * </pre>
 */
final class Manifest {
  private final int[] partitions;
  private final long[] records;
  private final long[] recordBytes;
  private final long[] checksums;
  private final long[] rawBytes;
  private final int[] attempts;
  private final int[] firstEntry;
  private final long[] chunks;
  private final int[] firstSequence;
  private final int[] sequences;

  private Manifest(List<PartitionManifest> sorted, int[] attempts, int entries, int pairNumbers) {
    this.attempts = attempts;
    int count = sorted.size();
    partitions = new int[count];
    records = new long[count];
    recordBytes = new long[count];
    checksums = new long[count];
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
      recordBytes[i] = partition.getRecordBytes();
      checksums[i] = partition.getChecksum();
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
   * @param earlier the manifests of attempts that held partitions refer to
   * @throws RequestRefusedException BAD_REQUEST when a partition comes twice, block numbers make no
   *     sense, or a held partition is not what the earlier attempt committed
   */
  static Manifest of(
      AttemptId attempt, List<PartitionManifest> told, Function<AttemptId, Manifest> earlier)
      throws RequestRefusedException {
    List<PartitionManifest> sorted = new ArrayList<>(told);
    sorted.sort(Comparator.comparingInt(PartitionManifest::getPartition));
    int[] attempts = new int[sorted.size()];
    int entries = 0;
    int pairNumbers = 0;
    int before = -1;
    for (int i = 0; i < attempts.length; i++) {
      PartitionManifest partition = sorted.get(i);
      if (partition.getPartition() == before) {
        throw bad(attempt, before, "it comes twice");
      }
      before = partition.getPartition();
      checkCounts(attempt, partition);
      attempts[i] = attempt.attempt();
      if (partition.getHeldBy() != 0) {
        AttemptId holder = new AttemptId(attempt.map(), partition.getHeldBy() - 1);
        Manifest manifest = earlier.apply(holder);
        int held = manifest == null ? -1 : Arrays.binarySearch(manifest.partitions, before);
        if (held < 0 || !manifest.holds(held, partition)) {
          throw bad(attempt, before, "it is not what was committed by " + holder);
        }
        attempts[i] = manifest.attempts[held];
        partition = manifest.partition(held);
        sorted.set(i, partition);
      }
      for (ChunkBlocks blocks : partition.getBlocksList()) {
        checkPairs(attempt, before, blocks.getSequencesList());
        pairNumbers += blocks.getSequencesCount();
      }
      entries += partition.getBlocksCount();
    }
    return new Manifest(sorted, attempts, entries, pairNumbers);
  }

  /** Whether a later attempt made the same records of the {@code i}-th partition. */
  private boolean holds(int i, PartitionManifest told) {
    return told.getBlocksCount() == 0
        && told.getRecords() == records[i]
        && told.getRecordBytes() == recordBytes[i]
        && told.getChecksum() == checksums[i];
  }

  private PartitionManifest partition(int i) {
    PartitionManifest.Builder partition =
        PartitionManifest.newBuilder()
            .setPartition(partitions[i])
            .setRecords(records[i])
            .setRecordBytes(recordBytes[i])
            .setChecksum(checksums[i])
            .setRawBytes(rawBytes[i]);
    for (int entry = firstEntry[i]; entry < firstEntry[i + 1]; entry++) {
      partition.addBlocks(blocks(entry));
    }
    return partition.build();
  }

  private ChunkBlocks blocks(int entry) {
    ChunkBlocks.Builder blocks = ChunkBlocks.newBuilder().setChunk(chunks[entry]);
    for (int s = firstSequence[entry]; s < firstSequence[entry + 1]; s++) {
      blocks.addSequences(sequences[s]);
    }
    return blocks.build();
  }

  /**
   * What a later attempt of the map is told about a partition that this manifest names.
   *
   * @param attempt whose manifest this is
   */
  HeldPartition held(int partition, int attempt) {
    int i = Arrays.binarySearch(partitions, partition);
    return HeldPartition.newBuilder()
        .setPartition(partition)
        .setAttempt(attempt)
        .setRecords(records[i])
        .setRecordBytes(recordBytes[i])
        .setChecksum(checksums[i])
        .build();
  }

  private static void checkCounts(AttemptId attempt, PartitionManifest partition)
      throws RequestRefusedException {
    if (partition.getRecords() < 0
        || partition.getRecordBytes() < 0
        || partition.getRawBytes() < 0) {
      String why = "records, record_bytes and raw_bytes must be below 2^63";
      throw bad(attempt, partition.getPartition(), why);
    }
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
      if (end > Integer.MAX_VALUE) {
        throw bad(attempt, partition, "no block has such a number: " + first + " count=" + count);
      }
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

  /** Raw bytes that the attempt itself appended, over all partitions. */
  long totalRawBytes(int attempt) {
    long total = 0;
    for (int i = 0; i < partitions.length; i++) {
      total += attempts[i] == attempt ? rawBytes[i] : 0;
    }
    return total;
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
    winner
        .setRecords(records[i])
        .setRecordBytes(recordBytes[i])
        .setChecksum(checksums[i])
        .setRawBytes(rawBytes[i])
        .setBlockAttempt(attempts[i]);
    for (int entry = firstEntry[i]; entry < firstEntry[i + 1]; entry++) {
      winner.addBlocks(blocks(entry));
    }
  }

  /** What a snapshot keeps of it. */
  SnapshotManifest snapshot(AttemptId attempt) {
    SnapshotManifest.Builder saved =
        SnapshotManifest.newBuilder().setMap(attempt.map()).setAttempt(attempt.attempt());
    for (int i = 0; i < partitions.length; i++) {
      saved.addPartitions(partition(i)).addBlockAttempts(attempts[i]);
    }
    return saved.build();
  }

  /**
   * Packs what a snapshot kept.
   *
   * @throws IllegalArgumentException when it does not say who wrote each partition's blocks
   */
  static Manifest of(SnapshotManifest saved) {
    int count = saved.getPartitionsCount();
    if (saved.getBlockAttemptsCount() != count) {
      throw new IllegalArgumentException(
          "manifest with partitions=" + count + " attempts=" + saved.getBlockAttemptsCount());
    }
    int[] attempts = new int[count];
    int entries = 0;
    int pairNumbers = 0;
    for (int i = 0; i < count; i++) {
      attempts[i] = saved.getBlockAttempts(i);
      for (ChunkBlocks blocks : saved.getPartitions(i).getBlocksList()) {
        pairNumbers += blocks.getSequencesCount();
      }
      entries += saved.getPartitions(i).getBlocksCount();
    }
    return new Manifest(saved.getPartitionsList(), attempts, entries, pairNumbers);
  }

  /** Whether both say the same. */
  boolean sameAs(Manifest other) {
    return Arrays.equals(partitions, other.partitions)
        && Arrays.equals(records, other.records)
        && Arrays.equals(recordBytes, other.recordBytes)
        && Arrays.equals(checksums, other.checksums)
        && Arrays.equals(rawBytes, other.rawBytes)
        && Arrays.equals(attempts, other.attempts)
        && Arrays.equals(firstEntry, other.firstEntry)
        && Arrays.equals(chunks, other.chunks)
        && Arrays.equals(firstSequence, other.firstSequence)
        && Arrays.equals(sequences, other.sequences);
  }
}

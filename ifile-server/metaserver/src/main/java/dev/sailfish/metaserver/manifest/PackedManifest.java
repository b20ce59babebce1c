package dev.sailfish.metaserver.manifest;

import com.google.protobuf.CodedOutputStream;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Makes the bytes of a manifest: what one map attempt wrote, or made again and found held. Equal
 * manifests have equal bytes. {@link Manifest} reads them.
 *
 * <pre>
 *    0          4           8                 16
 *   +----------+-----------+-----------------+-- - - - --+-- - - - - - --+
 *   | entries  | groups    | own raw bytes   | groups    | entries       |
 *   +----------+-----------+-----------------+-- - - - --+-- - - - - - --+
 *   group: first partition (4), where its first entry begins, counted from 0 (4)
 *
 *   entry, of a partition with blocks, ascending; {@value #GROUP} a group; numbers are varints:
 *     (partition - the one before - 1) * 4 + 2, if an earlier attempt wrote it, + 1, if simple;
 *         of the first of a group: 0 instead of the difference
 *     that attempt                         only if an earlier one wrote it
 *     records
 *     record bytes
 *     raw bytes - record bytes - 2 * records, zigzag: two lengths of a byte make it 0
 *     checksum                             8 bytes
 *     simple, one chunk with blocks 0 to n:   chunk * 2, + 1 if n is not 1;  n, if it is not 1
 *     else: chunks; for each:  chunk, pairs; for each pair: first - end of the one before, count
 * </pre>
 *
 * <p>All fixed numbers are big endian. A chunk is its number among those of its partition ({@link
 * Chunks}), which is one byte where an id has eight.
 */
public final class PackedManifest {
  static final int HEADER_BYTES = 16;
  static final int GROUP = 16;
  static final int GROUP_BYTES = 8;

  /** The chunks of a job, by partition. */
  public interface Chunks {
    /** Which one of its partition's chunks it is, or -1 when it is none of them. */
    int number(int partition, long chunk);

    /** The chunk with this number. */
    long chunk(int partition, int number);
  }

  private final AttemptId attempt;
  private final Chunks chunks;
  private byte[] out;
  private int length;
  private long ownRawBytes;

  private PackedManifest(AttemptId attempt, Chunks chunks, int entries) {
    this.attempt = attempt;
    this.chunks = chunks;
    int groups = (entries + GROUP - 1) / GROUP;
    this.length = HEADER_BYTES + groups * GROUP_BYTES;
    this.out = new byte[length + 24 * entries];
  }

  /**
   * Packs what an iappender sent.
   *
   * @param earlier the manifests of attempts that held partitions refer to
   * @throws RequestRefusedException BAD_REQUEST when a partition comes twice or has no block, block
   *     numbers make no sense, a chunk is not one of the partition's, or a held partition is not
   *     what the earlier attempt committed
   */
  public static byte[] of(
      AttemptId attempt,
      List<PartitionManifest> told,
      Chunks chunks,
      Function<AttemptId, Manifest> earlier)
      throws RequestRefusedException {
    List<PartitionManifest> sorted = new ArrayList<>(told);
    sorted.sort(Comparator.comparingInt(PartitionManifest::getPartition));
    PackedManifest packed = new PackedManifest(attempt, chunks, sorted.size());
    int before = -1;
    for (int i = 0; i < sorted.size(); i++) {
      PartitionManifest partition = sorted.get(i);
      int number = partition.getPartition();
      if (number < 0) {
        throw bad(attempt, number, "no partition has such a number");
      }
      if (number == before && i > 0) {
        throw bad(attempt, before, "it comes twice");
      }
      packed.check(partition);
      int difference = i % GROUP == 0 ? 0 : number - before - 1;
      if (i % GROUP == 0) {
        packed.group(i / GROUP, number);
      }
      before = number;
      if (partition.getHeldBy() == 0) {
        packed.add(difference, attempt.attempt(), partition);
      } else {
        packed.held(difference, partition, earlier);
      }
    }
    return packed.finish(sorted.size());
  }

  private void held(int difference, PartitionManifest told, Function<AttemptId, Manifest> earlier)
      throws RequestRefusedException {
    AttemptId holder = new AttemptId(attempt.map(), told.getHeldBy() - 1);
    Manifest manifest = earlier.apply(holder);
    ManifestEntry entry = manifest == null ? null : manifest.find(told.getPartition());
    if (entry == null || !holds(entry, told)) {
      throw bad(attempt, told.getPartition(), "it is not what was committed by " + holder);
    }
    add(difference, entry.blockAttempt(), entry.partition());
  }

  /** Whether a later attempt made the same records. */
  private static boolean holds(ManifestEntry entry, PartitionManifest told) {
    return told.getBlocksCount() == 0
        && told.getRecords() == entry.partition().getRecords()
        && told.getRecordBytes() == entry.partition().getRecordBytes()
        && told.getChecksum() == entry.partition().getChecksum();
  }

  private void check(PartitionManifest partition) throws RequestRefusedException {
    int number = partition.getPartition();
    if (partition.getRecords() < 0
        || partition.getRecordBytes() < 0
        || partition.getRawBytes() < 0) {
      throw bad(attempt, number, "records, record_bytes and raw_bytes must be below 2^63");
    }
    if (partition.getHeldBy() == 0 && partition.getBlocksCount() == 0) {
      throw bad(
          attempt,
          number,
          "it has records and no block, records=%s; a partition without records is left out"
              .formatted(partition.getRecords()));
    }
    for (ChunkBlocks blocks : partition.getBlocksList()) {
      checkPairs(number, blocks.getSequencesList());
      if (chunks.number(number, blocks.getChunk()) < 0) {
        throw bad(
            attempt,
            number,
            "it names a chunk that does not belong there: partition=%s chunk=%x"
                .formatted(number, blocks.getChunk()));
      }
    }
  }

  private void checkPairs(int partition, List<Integer> pairs) throws RequestRefusedException {
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

  // ---- bytes

  private void group(int group, int partition) {
    ByteBuffer.wrap(out)
        .putInt(HEADER_BYTES + group * GROUP_BYTES, partition)
        .putInt(HEADER_BYTES + group * GROUP_BYTES + 4, length);
  }

  private void add(int difference, int blockAttempt, PartitionManifest partition) {
    boolean inherited = blockAttempt != attempt.attempt();
    boolean simple =
        partition.getBlocksCount() == 1
            && partition.getBlocks(0).getSequencesCount() == 2
            && partition.getBlocks(0).getSequences(0) == 0;
    varint(((long) difference << 2) | (inherited ? 2 : 0) | (simple ? 1 : 0));
    if (inherited) {
      varint(Integer.toUnsignedLong(blockAttempt));
    } else {
      ownRawBytes += partition.getRawBytes();
    }
    varint(partition.getRecords());
    varint(partition.getRecordBytes());
    long rest = partition.getRawBytes() - partition.getRecordBytes() - 2 * partition.getRecords();
    varint(CodedOutputStream.encodeZigZag64(rest));
    room(Long.BYTES);
    ByteBuffer.wrap(out).putLong(length, partition.getChecksum());
    length += Long.BYTES;
    if (simple) {
      simple(partition.getPartition(), partition.getBlocks(0));
    } else {
      varint(partition.getBlocksCount());
      for (ChunkBlocks blocks : partition.getBlocksList()) {
        blocks(partition.getPartition(), blocks);
      }
    }
  }

  private void simple(int partition, ChunkBlocks blocks) {
    int count = blocks.getSequences(1);
    varint(((long) chunks.number(partition, blocks.getChunk()) << 1) | (count == 1 ? 0 : 1));
    if (count != 1) {
      varint(count);
    }
  }

  private void blocks(int partition, ChunkBlocks blocks) {
    varint(chunks.number(partition, blocks.getChunk()));
    varint(blocks.getSequencesCount() / 2);
    int end = 0;
    for (int i = 0; i < blocks.getSequencesCount(); i += 2) {
      varint(blocks.getSequences(i) - end);
      varint(blocks.getSequences(i + 1));
      end = blocks.getSequences(i) + blocks.getSequences(i + 1);
    }
  }

  private void varint(long number) {
    room(10);
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      out[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    out[length++] = (byte) rest;
  }

  private void room(int bytes) {
    if (out.length - length < bytes) {
      out = Arrays.copyOf(out, out.length + Math.max(bytes, out.length / 2));
    }
  }

  private byte[] finish(int entries) {
    ByteBuffer.wrap(out)
        .putInt(0, entries)
        .putInt(4, (entries + GROUP - 1) / GROUP)
        .putLong(8, ownRawBytes);
    return Arrays.copyOf(out, length);
  }
}

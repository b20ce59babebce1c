package dev.sailfish.metaserver;

import com.google.protobuf.UnsafeByteOperations;
import dev.sailfish.metaserver.wire.SnapshotManifest;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.HeldPartition;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * What one map attempt wrote, or made again and found held: a view of bytes in the job's arena,
 * laid out by {@link PackedManifest}. There is one per map, and each has up to all partitions; one
 * is found without looking at the others. Immutable; of no use once the job has ended.
 */
final class Manifest {
  private final ManifestArena arena;
  private final PackedManifest.Chunks chunks;
  private final AttemptId id;
  private final long start;
  private final int length;

  /**
   * Stores a packed manifest.
   *
   * @throws IllegalArgumentException when the bytes cannot be a manifest
   */
  Manifest(ManifestArena arena, PackedManifest.Chunks chunks, AttemptId id, byte[] packed) {
    this.arena = arena;
    this.chunks = chunks;
    this.id = id;
    this.length = packed.length;
    if (length < PackedManifest.HEADER_BYTES) {
      throw new IllegalArgumentException("manifest is too short: bytes=" + length);
    }
    this.start = arena.append(packed);
    long groups = (entries() + PackedManifest.GROUP - 1L) / PackedManifest.GROUP;
    if (entries() < 0
        || groups() != groups
        || PackedManifest.HEADER_BYTES + groups * PackedManifest.GROUP_BYTES > length) {
      throw new IllegalArgumentException(
          "manifest is damaged: entries=" + entries() + " groups=" + groups());
    }
  }

  /** Whose it is. */
  AttemptId id() {
    return id;
  }

  private int entries() {
    return fixedInt(0);
  }

  private int groups() {
    return fixedInt(4);
  }

  private int fixedInt(int at) {
    int number = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      number = number << 8 | arena.get(start + at + i) & 0xff;
    }
    return number;
  }

  private int groupPartition(int group) {
    return fixedInt(PackedManifest.HEADER_BYTES + group * PackedManifest.GROUP_BYTES);
  }

  private Cursor cursor(int group) {
    int at = fixedInt(PackedManifest.HEADER_BYTES + group * PackedManifest.GROUP_BYTES + 4);
    int entries = Math.min(PackedManifest.GROUP, entries() - group * PackedManifest.GROUP);
    return new Cursor(at, groupPartition(group), entries);
  }

  /** Goes through the entries of a group. */
  private final class Cursor {
    private int at;
    private int left;
    private int partition;
    private boolean first = true;
    private boolean simple;
    private int blockAttempt;
    private long records;
    private long recordBytes;
    private long rawBytes;
    private long checksum;

    Cursor(int at, int partition, int entries) {
      this.at = at;
      this.partition = partition;
      this.left = entries;
    }

    /** Goes to the next entry and reads all but its blocks; false at the end of the group. */
    boolean next() {
      if (left == 0) {
        return false;
      }
      left--;
      long head = varint();
      partition += first ? 0 : (int) (head >>> 2) + 1;
      first = false;
      simple = (head & 1) != 0;
      blockAttempt = (head & 2) != 0 ? (int) varint() : id.attempt();
      records = varint();
      recordBytes = varint();
      long rest = varint();
      rawBytes = ((rest >>> 1) ^ -(rest & 1)) + recordBytes + 2 * records;
      checksum = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        checksum = checksum << 8 | arena.get(start + at++) & 0xff;
      }
      return true;
    }

    /** Reads the blocks of this entry, which has to be done before the next one. */
    void blocks(Consumer<ChunkBlocks> consumer) {
      if (simple) {
        long number = varint();
        int count = (number & 1) == 0 ? 1 : (int) varint();
        consumer.accept(
            ChunkBlocks.newBuilder()
                .setChunk(chunks.chunk(partition, (int) (number >>> 1)))
                .addSequences(0)
                .addSequences(count)
                .build());
        return;
      }
      for (long c = varint(); c > 0; c--) {
        ChunkBlocks.Builder blocks =
            ChunkBlocks.newBuilder().setChunk(chunks.chunk(partition, (int) varint()));
        int end = 0;
        for (long pairs = varint(); pairs > 0; pairs--) {
          int begin = end + (int) varint();
          int count = (int) varint();
          blocks.addSequences(begin).addSequences(count);
          end = begin + count;
        }
        consumer.accept(blocks.build());
      }
    }

    void skipBlocks() {
      if (simple) {
        if ((varint() & 1) != 0) {
          varint();
        }
        return;
      }
      for (long c = varint(); c > 0; c--) {
        varint();
        for (long numbers = 2 * varint(); numbers > 0; numbers--) {
          varint();
        }
      }
    }

    ManifestEntry entry() {
      List<ChunkBlocks> blocks = new ArrayList<>(1);
      blocks(blocks::add);
      return new ManifestEntry(
          partition, blockAttempt, records, recordBytes, rawBytes, checksum, blocks);
    }

    private long varint() {
      long number = 0;
      for (int shift = 0; ; shift += 7) {
        byte next = arena.get(start + at++);
        number |= (next & 0x7fL) << shift;
        if (next >= 0) {
          return number;
        }
      }
    }
  }

  /** A cursor at the partition's entry, or null when it has none. */
  private Cursor at(int partition) {
    int low = 0;
    int high = groups() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (groupPartition(middle) <= partition) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    if (high < 0) {
      return null;
    }
    Cursor cursor = cursor(high);
    while (cursor.next()) {
      if (cursor.partition >= partition) {
        return cursor.partition == partition ? cursor : null;
      }
      cursor.skipBlocks();
    }
    return null;
  }

  /** What it says of a partition, or null when it has no entry. */
  ManifestEntry find(int partition) {
    Cursor cursor = at(partition);
    return cursor == null ? null : cursor.entry();
  }

  /** Calls for each entry, in the order of partitions. */
  void forEach(Consumer<ManifestEntry> consumer) {
    for (int group = 0; group < groups(); group++) {
      Cursor cursor = cursor(group);
      while (cursor.next()) {
        consumer.accept(cursor.entry());
      }
    }
  }

  /** What a later attempt of the map is told about a partition that this manifest names. */
  HeldPartition held(ManifestEntry entry) {
    return HeldPartition.newBuilder()
        .setPartition(entry.number())
        .setAttempt(id.attempt())
        .setRecords(entry.records())
        .setRecordBytes(entry.recordBytes())
        .setChecksum(entry.checksum())
        .build();
  }

  /** Raw bytes that the attempt itself appended, over all partitions. */
  long ownRawBytes() {
    return (long) fixedInt(8) << 32 | fixedInt(12) & 0xffffffffL;
  }

  /** Adds what there is of a partition to a winner's entry. */
  void describe(int partition, WinnerManifest.Builder winner) {
    Cursor cursor = at(partition);
    if (cursor == null) {
      return;
    }
    winner
        .setRecords(cursor.records)
        .setRecordBytes(cursor.recordBytes)
        .setChecksum(cursor.checksum)
        .setRawBytes(cursor.rawBytes)
        .setBlockAttempt(cursor.blockAttempt);
    cursor.blocks(winner::addBlocks);
  }

  /** What a snapshot keeps of it. */
  SnapshotManifest snapshot() {
    return SnapshotManifest.newBuilder()
        .setMap(id.map())
        .setAttempt(id.attempt())
        .setPacked(UnsafeByteOperations.unsafeWrap(packed()))
        .build();
  }

  /** Its bytes; a copy. */
  byte[] packed() {
    return arena.copy(start, length);
  }

  /** Whether the other one is packed into the same bytes. */
  boolean sameAs(byte[] packed) {
    return packed.length == length && Arrays.equals(packed, packed());
  }
}

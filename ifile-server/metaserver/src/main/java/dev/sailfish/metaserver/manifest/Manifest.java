package dev.sailfish.metaserver.manifest;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnsafeByteOperations;
import dev.sailfish.metaserver.wire.SnapshotManifest;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.HeldPartition;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * What one map attempt wrote, or made again and found held: a view of bytes in the job's arena,
 * laid out by {@link PackedManifest}. There is one per map, and each has up to all partitions; one
 * is found without looking at the others. Immutable; of no use once the job has ended.
 */
public final class Manifest {
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
  public Manifest(ManifestArena arena, PackedManifest.Chunks chunks, AttemptId id, byte[] packed) {
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
  public AttemptId id() {
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

  private long fixedLong(int at) {
    return (long) fixedInt(at) << Integer.SIZE | fixedInt(at + Integer.BYTES) & 0xffffffffL;
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
    private int checksumAt;

    Cursor(int at, int partition, int entries) {
      this.at = at;
      this.partition = partition;
      this.left = entries;
    }

    /**
     * Goes to the next entry, up to its blocks, which {@link #entry} reads and {@link #skipBlocks}
     * passes over; false at the end of the group.
     */
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
      rawBytes = CodedInputStream.decodeZigZag64(varint()) + recordBytes + 2 * records;
      checksumAt = at;
      at += Long.BYTES;
      return true;
    }

    /** The entry, which {@link #next} has gone to, with its blocks. */
    ManifestEntry entry() {
      PartitionManifest.Builder entry =
          PartitionManifest.newBuilder()
              .setPartition(partition)
              .setRecords(records)
              .setRecordBytes(recordBytes)
              .setRawBytes(rawBytes)
              .setChecksum(checksum());
      if (simple) {
        long number = varint();
        int count = (number & 1) == 0 ? 1 : (int) varint();
        entry.addBlocks(blocks((int) (number >>> 1)).addSequences(0).addSequences(count));
        return new ManifestEntry(blockAttempt, entry.build());
      }
      for (long chunksLeft = varint(); chunksLeft > 0; chunksLeft--) {
        ChunkBlocks.Builder blocks = blocks((int) varint());
        int end = 0;
        for (long pairs = varint(); pairs > 0; pairs--) {
          int begin = end + (int) varint();
          int count = (int) varint();
          blocks.addSequences(begin).addSequences(count);
          end = begin + count;
        }
        entry.addBlocks(blocks);
      }
      return new ManifestEntry(blockAttempt, entry.build());
    }

    private long checksum() {
      return fixedLong(checksumAt);
    }

    private ChunkBlocks.Builder blocks(int number) {
      return ChunkBlocks.newBuilder().setChunk(chunks.chunk(partition, number));
    }

    /** Passes over the blocks of the entry, which {@link #next} has gone to. */
    void skipBlocks() {
      if (simple) {
        if ((varint() & 1) != 0) {
          varint();
        }
        return;
      }
      for (long chunksLeft = varint(); chunksLeft > 0; chunksLeft--) {
        varint();
        for (long numbers = 2 * varint(); numbers > 0; numbers--) {
          varint();
        }
      }
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

  /** What it says of a partition, or null when it has no entry. */
  public ManifestEntry find(int partition) {
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
        return cursor.partition == partition ? cursor.entry() : null;
      }
      cursor.skipBlocks();
    }
    return null;
  }

  /** Calls for each entry, in the order of partitions. */
  public void forEach(Consumer<ManifestEntry> consumer) {
    walk(cursor -> consumer.accept(cursor.entry()));
  }

  /** Adds what it says of each partition. */
  void addTo(WinnerSums sums) {
    walk(
        entry -> {
          sums.add(
              entry.partition, entry.records, entry.rawBytes, entry.recordBytes, entry.checksum());
          entry.skipBlocks();
        });
  }

  private void walk(Consumer<Cursor> consumer) {
    for (int group = 0; group < groups(); group++) {
      Cursor cursor = cursor(group);
      while (cursor.next()) {
        consumer.accept(cursor);
      }
    }
  }

  /** What a later attempt of the map is told about a partition that this manifest names. */
  public HeldPartition held(PartitionManifest partition) {
    return HeldPartition.newBuilder()
        .setPartition(partition.getPartition())
        .setAttempt(id.attempt())
        .setRecords(partition.getRecords())
        .setRecordBytes(partition.getRecordBytes())
        .setChecksum(partition.getChecksum())
        .build();
  }

  /** Raw bytes that the attempt itself appended, over all partitions. */
  public long ownRawBytes() {
    return fixedLong(8);
  }

  /** Adds what there is of a partition to a winner's entry. */
  public void describe(int partition, WinnerManifest.Builder winner) {
    ManifestEntry entry = find(partition);
    if (entry != null) {
      winner
          .setRecords(entry.partition().getRecords())
          .setRecordBytes(entry.partition().getRecordBytes())
          .setChecksum(entry.partition().getChecksum())
          .setRawBytes(entry.partition().getRawBytes())
          .setBlockAttempt(entry.blockAttempt())
          .addAllBlocks(entry.partition().getBlocksList());
    }
  }

  /** What a snapshot keeps of it. */
  public SnapshotManifest snapshot() {
    return SnapshotManifest.newBuilder()
        .setMap(id.map())
        .setAttempt(id.attempt())
        .setPacked(UnsafeByteOperations.unsafeWrap(packed()))
        .build();
  }

  /** Its bytes; a copy. */
  public byte[] packed() {
    return arena.copy(start, length);
  }

  /** Whether the other one is packed into the same bytes. */
  public boolean sameAs(byte[] packed) {
    return packed.length == length && Arrays.equals(packed, packed());
  }
}

package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordChecksum;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.IndexedBlockCursor;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** The records that a test appended, and the proof that manifest and blocks give all of them. */
final class Emitted {
  /** A record as it was serialized. */
  record Pair(byte[] key, byte[] value) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Pair pair
          && Arrays.equals(key, pair.key)
          && Arrays.equals(value, pair.value);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
      return "key[" + key.length + "] value[" + value.length + "]";
    }
  }

  private final TreeMap<Integer, List<Pair>> partitions = new TreeMap<>();
  private final KeyOrder order;

  Emitted(KeyOrder order) {
    this.order = order;
  }

  /** Appends the record and remembers it. */
  void append(Iappender appender, int partition, byte[] key, byte[] value) throws IOException {
    appender.append(partition, key, 0, key.length, value, 0, value.length);
    add(partition, key, value);
  }

  /** Remembers a record that was appended in another way. */
  void add(int partition, byte[] key, byte[] value) {
    partitions.computeIfAbsent(partition, p -> new ArrayList<>()).add(new Pair(key, value));
  }

  /** Blocks that the manifest names, by partition, in the order of their sequence; none if held. */
  static TreeMap<Integer, List<FakeCluster.Stored>> blocks(FakeCluster cluster) {
    CommitManifestRequest manifest = cluster.manifest();
    TreeMap<Integer, List<FakeCluster.Stored>> blocks = new TreeMap<>();
    for (PartitionManifest partition : manifest.getPartitionsList()) {
      if (partition.getHeldBy() != 0) {
        continue;
      }
      TreeMap<Integer, FakeCluster.Stored> bySequence = new TreeMap<>();
      for (ChunkBlocks chunk : partition.getBlocksList()) {
        addBlocks(cluster.chunks().get(chunk.getChunk()), chunk, manifest, bySequence);
      }
      assertThat(bySequence.firstKey()).isZero();
      assertThat(bySequence.lastKey()).isEqualTo(bySequence.size() - 1);
      blocks.put(partition.getPartition(), new ArrayList<>(bySequence.values()));
    }
    return blocks;
  }

  private static void addBlocks(
      FakeCluster.Chunk chunk,
      ChunkBlocks named,
      CommitManifestRequest manifest,
      TreeMap<Integer, FakeCluster.Stored> bySequence) {
    for (int i = 0; i < named.getSequencesCount(); i += 2) {
      int first = named.getSequences(i);
      for (int sequence = first; sequence < first + named.getSequences(i + 1); sequence++) {
        int wanted = sequence;
        FakeCluster.Stored stored =
            chunk.blocks.stream()
                .filter(block -> block.header().sequence() == wanted)
                .filter(block -> block.header().map() == manifest.getMap())
                .filter(block -> block.header().attempt() == manifest.getAttempt())
                .findFirst()
                .orElseThrow(() -> new AssertionError("not stored: sequence=" + wanted));
        assertThat(bySequence.put(sequence, stored)).as("named twice").isNull();
      }
    }
  }

  /** The records of a block, with serialized keys. */
  static List<Pair> records(FakeCluster.Stored block, KeyEncoding encoding) throws IOException {
    byte[] raw = raw(block);
    RecordCursor cursor = new RecordCursor();
    cursor.reset(raw, 0, raw.length, false);
    List<Pair> pairs = new ArrayList<>();
    while (cursor.next()) {
      byte[] key = new byte[KeyEncoding.MAX_PREFIX + cursor.keyLength()];
      System.arraycopy(raw, cursor.keyOffset(), key, KeyEncoding.MAX_PREFIX, cursor.keyLength());
      int prefix = encoding.denormalize(key, KeyEncoding.MAX_PREFIX, cursor.keyLength());
      byte[] value =
          Arrays.copyOfRange(
              raw, cursor.valueOffset(), cursor.valueOffset() + cursor.valueLength());
      pairs.add(
          new Pair(Arrays.copyOfRange(key, KeyEncoding.MAX_PREFIX - prefix, key.length), value));
    }
    assertThat(pairs).hasSize(block.header().records());
    return pairs;
  }

  /** Checks that manifest and blocks give every record once, and in the order promised. */
  void verify(FakeCluster cluster, long committed, long sentBytes) throws IOException {
    TreeMap<Integer, List<FakeCluster.Stored>> blocks = blocks(cluster);
    assertThat(blocks.keySet()).isEqualTo(partitions.keySet());
    long count = 0;
    long rawBytes = 0;
    for (var entry : partitions.entrySet()) {
      List<Pair> expected = entry.getValue();
      int position = 0;
      for (FakeCluster.Stored block : blocks.get(entry.getKey())) {
        List<Pair> actual = records(block, order.encoding());
        List<Pair> part = expected.subList(position, position + actual.size());
        position += actual.size();
        rawBytes += block.header().rawLength();
        assertThat(block.header().sorted()).isEqualTo(order.ordering() == Ordering.COMPARATOR);
        // Not contains(): its message would print megabytes.
        assertThat(actual.equals(sorted(part))).as("records of %s", block.header()).isTrue();
      }
      assertThat(position).isEqualTo(expected.size());
      count += position;
    }
    assertThat(committed).isEqualTo(count);
    assertThat(sentBytes).isEqualTo(rawBytes);
    long manifested =
        cluster.manifest().getPartitionsList().stream()
            .mapToLong(PartitionManifest::getRecords)
            .sum();
    assertThat(manifested).isEqualTo(count);
    for (PartitionManifest partition : cluster.manifest().getPartitionsList()) {
      verifySums(partition, blocks.get(partition.getPartition()));
    }
  }

  private static void verifySums(PartitionManifest manifest, List<FakeCluster.Stored> blocks)
      throws IOException {
    long bytes = 0;
    long checksum = 0;
    for (FakeCluster.Stored block : blocks) {
      byte[] raw = raw(block);
      RecordCursor cursor = new RecordCursor();
      cursor.reset(raw, 0, raw.length, false);
      while (cursor.next()) {
        bytes += cursor.keyLength() + cursor.valueLength();
        checksum +=
            new RecordChecksum()
                .of(raw, cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
      }
    }
    assertThat(manifest.getRecordBytes()).isEqualTo(bytes);
    assertThat(manifest.getChecksum()).isEqualTo(checksum);
  }

  /** The records of a block, those of a run's blocks one behind the other. */
  static byte[] raw(FakeCluster.Stored stored) throws IOException {
    byte[] raw = new byte[stored.header().rawLength()];
    IndexedBlockCursor cursor = new IndexedBlockCursor(ByteBuffer.wrap(stored.payload()));
    cursor.reset(new PlacedBlock(0, stored.header()));
    int end = 0;
    while (cursor.next()) {
      BlockHeader header = cursor.block().header();
      int at = cursor.block().storedOffset();
      header.checkStored(stored.payload(), at);
      BlockCompression.of(header.codec())
          .decompress(stored.payload(), at, header.storedLength(), raw, end, header.rawLength());
      checkFirstKey(cursor, raw, end, header.rawLength());
      end += header.rawLength();
    }
    assertThat(end).isEqualTo(raw.length);
    return raw;
  }

  /** What is before a block of a run is its first key, cut as in an index. */
  private static void checkFirstKey(IndexedBlockCursor cursor, byte[] raw, int offset, int length)
      throws IOException {
    byte[] key = new byte[RunDescriptor.MAX_KEY_LENGTH];
    int keyLength = cursor.firstKey(key);
    if (keyLength >= 0) {
      RecordCursor records = new RecordCursor();
      records.reset(raw, offset, length, false);
      assertThat(records.next()).isTrue();
      int expected = Math.min(records.keyLength(), RunDescriptor.MAX_KEY_LENGTH);
      int start = records.keyOffset();
      assertThat(Arrays.copyOf(key, keyLength))
          .isEqualTo(Arrays.copyOfRange(raw, start, start + expected));
    }
  }

  private List<Pair> sorted(List<Pair> part) {
    if (order.ordering() == Ordering.NORMALIZED) {
      return part;
    }
    List<Pair> copy = new ArrayList<>(part);
    Comparator<Pair> comparator =
        (left, right) ->
            order
                .comparator()
                .compare(left.key, 0, left.key.length, right.key, 0, right.key.length);
    copy.sort(comparator);
    return copy;
  }
}

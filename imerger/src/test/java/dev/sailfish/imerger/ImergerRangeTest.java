package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.order.StoredKeyComparator;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.ChunkTailWriter;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Seeded
class ImergerRangeTest {
  private static final KeyOrder BYTES = KeyOrder.normalized(KeyEncoding.RAW);

  /** Fixed lengths, so that damaged blocks are as long as good ones. */
  private static final int KEY_BYTES = 6;

  private static final int VALUE_BYTES = 100;
  private static final int RECORD_BYTES = 3 + KEY_BYTES + VALUE_BYTES;

  @TempDir Path directory;

  /** A record as it came out, its key as the job serializes it. */
  private record Read(byte[] key, String text) {}

  private static List<Read> rest(Imerger imerger) throws IOException {
    List<Read> records = new ArrayList<>();
    while (imerger.next()) {
      int keyEnd = imerger.keyOffset() + imerger.keyLength();
      int valueEnd = imerger.valueOffset() + imerger.valueLength();
      byte[] key = Arrays.copyOfRange(imerger.keyBuffer(), imerger.keyOffset(), keyEnd);
      byte[] value = Arrays.copyOfRange(imerger.valueBuffer(), imerger.valueOffset(), valueEnd);
      records.add(new Read(key, Arrays.toString(key) + "=" + Arrays.toString(value)));
    }
    return records;
  }

  private static List<String> texts(List<Read> records) {
    return records.stream().map(Read::text).toList();
  }

  private static byte[] key(int number) {
    return String.format("%06d", number).getBytes(StandardCharsets.US_ASCII);
  }

  /** Keys 0, 2, 4, ... of {@link #KEY_BYTES} digits, in sorted blocks of ten records. */
  private static Partition numbers(int count) {
    Partition partition =
        new Partition(BYTES, CodecId.NONE).withSortedBlockBytes(10 * RECORD_BYTES);
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.add(new Partition.Item(key(2 * i), new byte[VALUE_BYTES]));
    }
    partition.append(0, 0, 1, items);
    return partition;
  }

  // ---- ranges and the whole
  // ----------------------------------------------------------------------

  @Test
  void rangesOfEveryEncodingAreTogetherTheWhole(Seed seed) throws IOException {
    for (KeyEncoding encoding : KeyEncoding.values()) {
      for (int round = 0; round < 3; round++) {
        checkRanges(seed.derive(encoding + "/" + round), KeyOrder.normalized(encoding));
      }
    }
  }

  @Test
  void rangesOfAComparatorAreTogetherTheWhole(Seed seed) throws IOException {
    for (int round = 0; round < 5; round++) {
      checkRanges(seed.derive("round " + round), KeyOrder.of(RandomPartition.DESCENDING));
    }
  }

  private void checkRanges(Seed seed, KeyOrder order) throws IOException {
    SplittableRandom random = seed.splittable();
    CodecId codec = CodecId.values()[random.nextInt(CodecId.values().length)];
    RandomPartition drawn =
        new RandomPartition(
            seed.value(), order, codec, random.nextInt(1, 10), random.nextInt(1, 6));
    long memory = random.nextBoolean() ? 1 << 20 : 32 << 20;
    Partition partition = drawn.partition();
    try (Cluster cluster = new Cluster(partition, 2)) {
      ImergerConfig config = cluster.config(memory, directory, Duration.ofSeconds(20));
      List<Read> whole;
      try (Imerger imerger = cluster.open(config)) {
        imerger.start(drawn.winners());
        whole = rest(imerger);
      }
      List<Read> together = new ArrayList<>();
      List<byte[]> bounds = bounds(random, partition, whole);
      for (int i = 0; i + 1 < bounds.size(); i++) {
        KeyRange range = new KeyRange(bounds.get(i), bounds.get(i + 1));
        try (Imerger imerger = cluster.open(config)) {
          if (random.nextInt(4) == 0) {
            imerger.prefetch(drawn.winners());
          }
          imerger.start(drawn.winners(), range);
          List<Read> part = rest(imerger);
          assertThat(imerger.statistics().totalRecordsExpected())
              .isGreaterThanOrEqualTo(part.size());
          if (!together.isEmpty() && !part.isEmpty()) {
            byte[] last = together.get(together.size() - 1).key();
            assertThat(part.get(0).key()).as("a group is in one range").isNotEqualTo(last);
          }
          together.addAll(part);
        }
      }
      assertThat(texts(together)).isEqualTo(texts(whole));
    }
  }

  /** No bound, some keys that are there or not in their order, no bound. */
  private static List<byte[]> bounds(
      SplittableRandom random, Partition partition, List<Read> whole) {
    List<Partition.Item> drawn = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      byte[] key =
          random.nextBoolean() && !whole.isEmpty()
              ? whole.get(random.nextInt(whole.size())).key()
              : Keys.random(partition.order().encoding(), random, 100_000);
      drawn.add(new Partition.Item(key, new byte[0]));
    }
    drawn.sort(partition::compareKeys);
    List<byte[]> bounds = new ArrayList<>();
    bounds.add(null);
    drawn.forEach(item -> bounds.add(ChunkFile.normalized(partition.order(), item.key())));
    bounds.add(null);
    return bounds;
  }

  @Test
  void piecesOfEveryEncodingKeepGroupsTogether(Seed seed) throws IOException {
    for (KeyEncoding encoding : KeyEncoding.values()) {
      KeyComparator grouping = StoredKeyComparator.of(encoding, Keys.grouping(encoding));
      for (int round = 0; round < 3; round++) {
        Seed derived = seed.derive(encoding + "/" + round);
        checkPieces(derived, new GroupOrder(KeyOrder.normalized(encoding), grouping));
      }
    }
  }

  @Test
  void piecesOfAComparatorKeepGroupsTogether(Seed seed) throws IOException {
    GroupOrder order =
        new GroupOrder(KeyOrder.of(RandomPartition.DESCENDING), Keys.grouping(KeyEncoding.RAW));
    for (int round = 0; round < 5; round++) {
      checkPieces(seed.derive("round " + round), order);
    }
  }

  /** Cuts a partition as a planner does, and reads its pieces. */
  private void checkPieces(Seed seed, GroupOrder order) throws IOException {
    SplittableRandom random = seed.splittable();
    RandomPartition drawn =
        new RandomPartition(
            seed.value(), order.keys(), CodecId.NONE, random.nextInt(1, 10), random.nextInt(1, 6));
    Partition partition = drawn.partition();
    List<byte[]> borders = borders(random, partition, order);
    long memory = random.nextBoolean() ? 1 << 20 : 32 << 20;
    try (Cluster cluster = new Cluster(partition, 2)) {
      ImergerConfig config = cluster.config(memory, directory, Duration.ofSeconds(20));
      List<Read> whole;
      try (Imerger imerger = cluster.open(config)) {
        imerger.start(drawn.winners());
        whole = rest(imerger);
      }
      List<Read> together = new ArrayList<>();
      for (int i = 0; i + 1 < borders.size(); i++) {
        KeyRange range = new KeyRange(borders.get(i), borders.get(i + 1), order.grouping());
        try (Imerger imerger = cluster.open(config)) {
          imerger.start(drawn.winners(), range);
          List<Read> part = rest(imerger);
          if (!together.isEmpty() && !part.isEmpty()) {
            byte[] last = together.get(together.size() - 1).key();
            byte[] first = part.get(0).key();
            KeyOrder keys = order.keys();
            assertThat(
                    order.sameGroup(
                        ChunkFile.normalized(keys, last), ChunkFile.normalized(keys, first)))
                .as("a group is in one piece")
                .isFalse();
          }
          together.addAll(part);
        }
      }
      assertThat(texts(together)).isEqualTo(texts(whole));
    }
  }

  /** No border, whole keys of the index, each of another group, in their order, no border. */
  private static List<byte[]> borders(
      SplittableRandom random, Partition partition, GroupOrder order) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    for (long chunk : partition.chunkIds()) {
      byte[] file = partition.file(chunk);
      ChunkTail tail = ChunkTail.read(ByteBuffer.wrap(file), file.length);
      for (int entry = 0; entry < tail.entries(); entry++) {
        if (tail.hasWholeKey(entry)) {
          keys.add(tail.entryKey(entry));
        }
      }
    }
    List<byte[]> drawn = new ArrayList<>();
    for (int i = random.nextInt(1, 8); i > 0 && !keys.isEmpty(); i--) {
      drawn.add(keys.get(random.nextInt(keys.size())));
    }
    drawn.sort(order::compare);
    List<byte[]> borders = new ArrayList<>();
    borders.add(null);
    for (byte[] key : drawn) {
      byte[] last = borders.get(borders.size() - 1);
      if (last == null || !order.sameGroup(last, key)) {
        borders.add(key);
      }
    }
    borders.add(null);
    return borders;
  }

  @Test
  void keysThatAreCutInTheIndexAreFoundToo(SplittableRandom random) throws IOException {
    byte[] prefix = new byte[RunDescriptor.MAX_KEY_LENGTH + 10];
    Arrays.fill(prefix, (byte) 'm');
    Partition partition = new Partition(BYTES, CodecId.NONE).withSortedBlockBytes(1000);
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      int length = random.nextInt(3) == 0 ? random.nextInt(5) : prefix.length + 1;
      byte[] key = Arrays.copyOf(prefix, length);
      if (length > 0) {
        key[length - 1] = (byte) random.nextInt(256);
      }
      items.add(new Partition.Item(key, new byte[random.nextInt(50)]));
    }
    partition.append(0, 0, 1, items);
    List<byte[]> bounds = new ArrayList<>();
    bounds.add(null);
    Stream.of(2, RunDescriptor.MAX_KEY_LENGTH - 1, RunDescriptor.MAX_KEY_LENGTH, prefix.length)
        .forEach(length -> bounds.add(Arrays.copyOf(prefix, length)));
    for (int last = 20; last < 256; last += 20) {
      byte[] bound = Arrays.copyOf(prefix, prefix.length + 1);
      bound[prefix.length] = (byte) last;
      bounds.add(bound);
    }
    bounds.add(null);
    try (Cluster cluster = new Cluster(partition, 1)) {
      List<String> together = new ArrayList<>();
      for (int i = 0; i + 1 < bounds.size(); i++) {
        together.addAll(read(cluster, new KeyRange(bounds.get(i), bounds.get(i + 1))));
      }
      assertThat(together).isEqualTo(read(cluster, null));
      assertThat(together).hasSize(items.size());
    }
  }

  private List<String> read(Cluster cluster, KeyRange range) throws IOException {
    try (Imerger imerger = cluster.open(cluster.config(directory))) {
      imerger.start(new int[] {0, 0}, range);
      return texts(rest(imerger));
    }
  }

  @Test
  void emptyRangesHaveNoRecords() throws IOException {
    try (Cluster cluster = new Cluster(numbers(100), 1)) {
      assertThat(read(cluster, new KeyRange(key(20), key(20)))).isEmpty();
      assertThat(read(cluster, new KeyRange(key(21), key(22)))).isEmpty();
      assertThat(read(cluster, new KeyRange(key(60), key(20)))).isEmpty();
      assertThat(read(cluster, new KeyRange(key(199), null))).isEmpty();
      assertThat(read(cluster, new KeyRange(null, key(0)))).isEmpty();
      assertThat(read(cluster, new KeyRange(key(198), null))).hasSize(1);
      assertThat(read(cluster, new KeyRange(null, new byte[] {':'}))).hasSize(100);
    }
  }

  @Test
  void everyBlockOfAllAttemptsComesOnce() throws IOException {
    Partition partition = new Partition(BYTES, CodecId.NONE);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      byte[] key = {(byte) (i % 5)};
      byte[] value = ByteBuffer.allocate(4).putInt(i).array();
      Partition.Block block =
          partition.append(i % 3, i % 2, 1 + i % 4, List.of(new Partition.Item(key, value)));
      partition.duplicate(block, 1 + (i + 1) % 4);
      all.add(Arrays.toString(key) + "=" + Arrays.toString(value));
    }
    try (Cluster cluster = new Cluster(partition, 2)) {
      try (Imerger imerger = cluster.open(cluster.config(directory))) {
        imerger.startAll(null);
        assertThat(texts(rest(imerger))).containsExactlyInAnyOrderElementsOf(all);
        assertThat(imerger.statistics().totalRecordsExpected()).isEqualTo(all.size());
      }
      try (Imerger imerger = cluster.open(cluster.config(directory))) {
        imerger.startAll(new KeyRange(new byte[] {2}, new byte[] {4}));
        assertThat(texts(rest(imerger)))
            .hasSize(12)
            .allMatch(record -> record.matches("\\[[23]\\]=.*"));
      }
    }
  }

  // ---- what is read, and what is noticed
  // ---------------------------------------------------------

  @Test
  void onlyBlocksThatMayHoldKeysOfTheRangeAreRead(SplittableRandom random) throws IOException {
    Partition partition = numbers(1000);
    byte[] file = partition.file(1);
    ChunkTail tail = ChunkTail.read(ByteBuffer.wrap(file), file.length);
    assertThat(tail.entries()).isGreaterThan(50);
    try (Cluster cluster = new Cluster(partition, 1)) {
      for (int round = 0; round < 30; round++) {
        int from = random.nextInt(2000);
        int to = from + 1 + random.nextInt(100);
        long needed = 0;
        for (int entry = 0; entry < tail.entries(); entry++) {
          boolean last = entry + 1 == tail.entries();
          boolean begins = tail.compareEntryKey(entry, key(to)) < 0;
          boolean ends = last || tail.compareEntryKey(entry + 1, key(from)) >= 0;
          needed += begins && ends ? tail.entryLength(entry) : 0;
        }
        try (Imerger imerger = cluster.open(cluster.config(directory))) {
          imerger.start(new int[] {0, 0}, new KeyRange(key(from), key(to)));
          int expected = Math.max(0, (Math.min(to, 2000) + 1) / 2 - (from + 1) / 2);
          assertThat(rest(imerger)).hasSize(expected);
          assertThat(imerger.statistics().bytesFetched()).isEqualTo(needed);
        }
      }
    }
  }

  @Test
  void aRangeOfAComparatorReadsItsShareOfBlocks(SplittableRandom random) throws IOException {
    KeyOrder order = KeyOrder.of(RandomPartition.DESCENDING);
    Partition partition = new Partition(order, CodecId.LZ4).withSortedBlockBytes(10 * RECORD_BYTES);
    int maps = 20;
    int[] winners = new int[2 * maps];
    for (int map = 0; map < maps; map++) {
      List<Partition.Item> items = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        items.add(new Partition.Item(key(random.nextInt(100_000)), value));
      }
      partition.append(map, 1, map % 3, items);
      partition.append(map, 0, map % 3, items);
      winners[2 * map] = map;
      winners[2 * map + 1] = 1;
    }
    try (Cluster cluster = new Cluster(partition, 2)) {
      ImergerConfig config = cluster.config(32 << 20, directory, Duration.ofSeconds(20));
      long all;
      List<String> whole;
      try (Imerger imerger = cluster.open(config)) {
        imerger.start(winners);
        whole = texts(rest(imerger));
        all = imerger.statistics().bytesFetched();
      }
      List<String> together = new ArrayList<>();
      int ranges = 10;
      for (int i = ranges; i > 0; i--) {
        byte[] from = i == ranges ? null : key(10_000 * i);
        byte[] to = i == 1 ? null : key(10_000 * (i - 1));
        try (Imerger imerger = cluster.open(config)) {
          imerger.start(winners, new KeyRange(from, to));
          together.addAll(texts(rest(imerger)));
          // Of each run a tenth of 50 blocks, and one at each border.
          assertThat(imerger.statistics().bytesFetched()).isBetween(all / 20, all / 5);
        }
      }
      assertThat(together).isEqualTo(whole).hasSize(maps * 500);
    }
  }

  @Test
  void keysInAnotherOrderThanTheReadersAreNoticed(SplittableRandom random) throws IOException {
    Partition partition =
        new Partition(KeyOrder.of(RandomPartition.DESCENDING), CodecId.NONE)
            .withSortedBlockBytes(10 * RECORD_BYTES);
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      items.add(new Partition.Item(key(random.nextInt(100_000)), new byte[VALUE_BYTES]));
    }
    partition.append(0, 0, 1, items);
    KeyOrder ascending = KeyOrder.of(BYTES::compare);
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger =
            Imerger.open(
                cluster.config(directory), Partition.JOB, Partition.NUMBER, ascending, "test")) {
      assertThatThrownBy(() -> imerger.start(new int[] {0, 0}, new KeyRange(key(500), null)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("chunk=1 of job=" + Partition.JOB)
          .hasMessageContaining("not in the order of the job's comparator");
    }
  }

  @Test
  void aDamagedBlockIsReadAgain() throws IOException {
    try (Cluster cluster = new Cluster(numbers(100), 1);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) -> {
                if (operation == IfileService.READ && count == 1) {
                  payload[200] ^= 8;
                }
                return payload;
              });
      imerger.start(new int[] {0, 0}, new KeyRange(key(50), key(52)));
      assertThat(rest(imerger)).hasSize(1);
      assertThat(imerger.statistics().rereads()).isEqualTo(1);
    }
  }

  /** Blocks whose checksums and headers are good, but which have a record too few or too many. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMissingAndASurplusRecordAreNoticed(boolean surplus) throws IOException {
    for (KeyRange range :
        List.of(
            new KeyRange(key(4), key(6)),
            new KeyRange(key(4), key(180)),
            new KeyRange(null, key(180)),
            new KeyRange(key(4), null))) {
      try (Cluster cluster = new Cluster(numbers(100), 1);
          Imerger imerger = cluster.open(cluster.config(directory))) {
        cluster
            .serverOf(1)
            .setFault(
                (operation, chunk, count, payload) ->
                    operation == IfileService.READ ? withOtherRecords(payload, surplus) : payload);
        assertThatThrownBy(
                () -> {
                  imerger.start(new int[] {0, 0}, range);
                  rest(imerger);
                })
            .isInstanceOf(LostBlocksException.class)
            .hasMessageContaining("another number of records");
      }
    }
  }

  /** The first block with the last record made two, or the last two made one. */
  private static byte[] withOtherRecords(byte[] blocks, boolean surplus) {
    byte[] changed = blocks.clone();
    ByteBuffer bytes = ByteBuffer.wrap(changed);
    BlockHeader header;
    try {
      header = BlockHeader.read(bytes, 0, changed.length);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    int end = header.blockLength();
    int at = end - (surplus ? 1 : 2) * RECORD_BYTES;
    byte[] key = Arrays.copyOfRange(changed, at + 3, at + 3 + KEY_BYTES);
    if (surplus) {
      int half = (RECORD_BYTES - 2 * (3 + KEY_BYTES)) / 2;
      at = putRecord(changed, at, key, half);
    }
    // Its value takes what is left; a length above 127 takes two bytes.
    int left = end - at - 3 - KEY_BYTES;
    at = putRecord(changed, at, key, left > 127 ? left - 1 : left);
    assertThat(at).isEqualTo(end);
    int stored = header.storedLength();
    header.withStored(stored, Checksum.of(changed, BlockHeader.LENGTH, stored)).write(bytes, 0);
    return changed;
  }

  private static int putRecord(byte[] bytes, int offset, byte[] key, int valueLength) {
    int at = Varint.put(bytes, offset, 0);
    at = RecordDescriptor.putHeader(bytes, at, key.length, valueLength);
    System.arraycopy(key, 0, bytes, at, key.length);
    return at + key.length + valueLength;
  }

  @Test
  void anIndexWithAnotherKeyThanTheBlockIsNoticed() throws IOException {
    try (Cluster cluster = new Cluster(numbers(100), 1);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) ->
                  operation == IfileService.AWAIT_SORTED ? withOtherKey(numbers(100)) : payload);
      assertThatThrownBy(
              () -> {
                imerger.start(new int[] {0, 0}, new KeyRange(key(40), key(180)));
                rest(imerger);
              })
          .isInstanceOf(LostBlocksException.class)
          .hasMessageContaining("not that in the index");
    }
  }

  /** The tail of the chunk with a key in its index that is a little too low, but in order. */
  private static byte[] withOtherKey(Partition partition) {
    byte[] file = partition.file(1);
    ByteBuffer bytes = ByteBuffer.wrap(file);
    try {
      ChunkTail tail = ChunkTail.read(bytes, file.length);
      ChunkTailWriter writer = new ChunkTailWriter(Ordering.NORMALIZED);
      int rawLength = tail.sourceRawLength(0);
      writer.addSource(
          new BlockHeader(
              CodecId.NONE, 0, 0, 0, 0, 0, tail.sourceRecords(0), rawLength, rawLength, 0));
      for (int entry = 0; entry < tail.entries(); entry++) {
        int offset = (int) tail.entryOffset(entry);
        BlockHeader header = PlacedBlock.read(bytes, offset, file.length).header();
        byte[] key = tail.entryKey(entry);
        key[key.length - 1] -= (byte) (entry == 4 ? 1 : 0);
        writer.addEntry(0, offset, header, key, key.length);
      }
      ByteBuffer changed = ByteBuffer.allocate((int) tail.offset() + writer.length());
      writer.write(changed, (int) tail.offset());
      return Arrays.copyOfRange(changed.array(), (int) tail.offset(), changed.capacity());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}

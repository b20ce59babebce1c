package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.ChunkTailWriter;
import dev.sailfish.testkit.Seeded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@Seeded
class RunBlocksTest {
  private static final KeyOrder BYTES = KeyOrder.normalized(KeyEncoding.RAW);

  private static final BlockHeader BLOCK =
      new BlockHeader(CodecId.NONE, 0, 0, 0, 0, 0, 1, 10, 10, 0);

  /** Of a block whose first key no index has. */
  private static final byte[] UNKNOWN = new byte[0];

  /** A group: keys with the same first byte. No key that an index has cut may come here. */
  private static final KeyComparator FIRST_BYTE =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) -> {
        assertThat(leftLength).isLessThan(RunDescriptor.MAX_KEY_LENGTH);
        assertThat(rightLength).isLessThan(RunDescriptor.MAX_KEY_LENGTH);
        return Arrays.compareUnsigned(
            left,
            leftOffset,
            leftOffset + Math.min(1, leftLength),
            right,
            rightOffset,
            rightOffset + Math.min(1, rightLength));
      };

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** A tail with another first run, and a run of blocks that have these keys, in order. */
  private static ChunkTail tail(Ordering ordering, List<List<byte[]>> blocks)
      throws FormatException {
    ChunkTailWriter writer = new ChunkTailWriter(ordering);
    int offset = ChunkHeader.LENGTH;
    if (ordering == Ordering.COMPARATOR) {
      writer.addSource(BLOCK);
      writer.addEntry(0, offset, BLOCK, new byte[0], 0);
      BlockHeader all =
          new BlockHeader(CodecId.NONE, 0, 0, 1, 0, 0, blocks.size(), 10 * blocks.size(), 10, 0);
      writer.addSource(all);
    }
    for (List<byte[]> block : blocks) {
      byte[] key = block.get(0);
      int keyLength = key == UNKNOWN ? RunDescriptor.NO_KEY : key.length;
      writer.addEntry(1, offset, BLOCK, key, keyLength);
      offset += BLOCK.blockLength();
    }
    ByteBuffer chunk = ByteBuffer.allocate(offset + writer.length());
    writer.write(chunk, offset);
    return ChunkTail.read(chunk, chunk.capacity());
  }

  private static RunBlocks blocks(String from, String to, KeyComparator grouping, String... keys)
      throws FormatException {
    List<List<byte[]>> blocks = Stream.of(keys).map(key -> List.of(bytes(key))).toList();
    KeyRange range =
        new KeyRange(from == null ? null : bytes(from), to == null ? null : bytes(to), grouping);
    ChunkTail tail = tail(Ordering.NORMALIZED, blocks);
    return RunBlocks.of(tail, 1, range, new GroupOrder(BYTES, grouping));
  }

  @Test
  void shouldReadWhatMayHoldKeysOfTheRange() throws FormatException {
    String[] keys = {"b", "e", "h", "k", "n", "q"};
    assertThat(blocks("f", "o", null, keys)).isEqualTo(new RunBlocks(1, 5, 2, 4));
    assertThat(blocks("e", "n", null, keys)).isEqualTo(new RunBlocks(0, 4, 1, 3));
    assertThat(blocks(null, "b", null, keys)).isEqualTo(new RunBlocks(0, 0, 0, 0));
    assertThat(blocks("z", null, null, keys)).isEqualTo(new RunBlocks(5, 6, 6, 6));
    assertThat(blocks(null, null, null, keys)).isEqualTo(new RunBlocks(0, 6, 0, 6));
  }

  @Test
  void shouldReadGroupsFromTheirFirstKeyOn() throws FormatException {
    String[] keys = {"a1", "b1", "b2", "b3", "c1", "c2", "d1"};
    // The group of b begins in the block of a1, that of c in the block of b3.
    assertThat(blocks("b2", null, FIRST_BYTE, keys)).isEqualTo(new RunBlocks(0, 7, 1, 7));
    assertThat(blocks(null, "c2", FIRST_BYTE, keys)).isEqualTo(new RunBlocks(0, 4, 0, 3));
    assertThat(blocks("b2", "c2", FIRST_BYTE, keys)).isEqualTo(new RunBlocks(0, 4, 1, 3));
    assertThat(blocks("b2", "c2", null, keys)).isEqualTo(new RunBlocks(1, 5, 2, 4));
  }

  @Test
  void shouldReadBlocksWhoseKeysAreCut() throws FormatException {
    String cut = "b".repeat(RunDescriptor.MAX_KEY_LENGTH);
    String[] keys = {"a1", "b1", cut, cut + "1", "b" + "z".repeat(300), "c1", "d1"};
    assertThat(blocks("bc", null, FIRST_BYTE, keys)).isEqualTo(new RunBlocks(0, 7, 1, 7));
    assertThat(blocks("c0", "d", FIRST_BYTE, keys)).isEqualTo(new RunBlocks(1, 6, 5, 5));
    assertThat(blocks(null, "c0", FIRST_BYTE, keys)).isEqualTo(new RunBlocks(0, 5, 0, 1));
    assertThat(blocks(null, "bc", FIRST_BYTE, keys)).isEqualTo(new RunBlocks(0, 1, 0, 0));
    assertThat(blocks(null, "c", FIRST_BYTE, cut, cut)).isEqualTo(new RunBlocks(0, 2, 0, 0));
    assertThat(blocks("b", null, FIRST_BYTE, cut, cut)).isEqualTo(new RunBlocks(0, 2, 0, 2));
    assertThat(blocks("bz", null, FIRST_BYTE, cut, cut)).isEqualTo(new RunBlocks(0, 2, 2, 2));
  }

  /** With a comparator, where the run begins with entry 1; a dash is a key nobody knows. */
  private static RunBlocks compared(
      KeyComparator comparator, String from, String to, String... keys) throws FormatException {
    List<List<byte[]>> blocks =
        Stream.of(keys).map(key -> List.of(key.equals("-") ? UNKNOWN : bytes(key))).toList();
    KeyRange range =
        new KeyRange(from == null ? null : bytes(from), to == null ? null : bytes(to), null);
    GroupOrder order = new GroupOrder(KeyOrder.of(comparator), null);
    return RunBlocks.of(tail(Ordering.COMPARATOR, blocks), 1, range, order);
  }

  private static int backwards(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
    return FIRST_BYTE.compare(right, rightOffset, rightLength, left, leftOffset, leftLength);
  }

  @Test
  void shouldAskTheComparatorWhereTheRangeIs() throws FormatException {
    String[] keys = {"q", "n", "k", "h", "e", "b"};
    KeyComparator backwards = RunBlocksTest::backwards;
    assertThat(compared(backwards, "m", "f", keys)).isEqualTo(new RunBlocks(2, 5, 3, 4));
    assertThat(compared(backwards, "n", "e", keys)).isEqualTo(new RunBlocks(1, 5, 2, 4));
    assertThat(compared(backwards, null, "z", keys)).isEqualTo(new RunBlocks(1, 1, 1, 1));
    assertThat(compared(backwards, null, null, keys)).isEqualTo(new RunBlocks(1, 7, 1, 7));
    // Keys of one first byte are equal, whatever follows.
    assertThat(compared(FIRST_BYTE, "b7", null, "a", "b9", "b1", "c"))
        .isEqualTo(new RunBlocks(1, 5, 2, 5));
  }

  @Test
  void shouldRefuseKeysThatTheComparatorHasInAnotherOrder() {
    assertThatThrownBy(() -> compared(FIRST_BYTE, "b", "c", "a", "-", "d", "c1"))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("run=1 entry=4");
  }

  @Test
  void shouldReadWhatNobodyKnowsTheKeyOf() throws FormatException {
    assertThat(compared(FIRST_BYTE, "c", null, "-", "-", "-")).isEqualTo(new RunBlocks(1, 4, 4, 4));
    assertThat(compared(FIRST_BYTE, null, "c", "-", "-", "-")).isEqualTo(new RunBlocks(1, 4, 1, 1));
    assertThat(compared(FIRST_BYTE, "c", "f", "a", "-", "d", "-", "g"))
        .isEqualTo(new RunBlocks(1, 5, 3, 3));
    String cut = "c".repeat(RunDescriptor.MAX_KEY_LENGTH);
    assertThat(compared(FIRST_BYTE, "c", "f", "a", cut, "d", cut, "g"))
        .isEqualTo(new RunBlocks(1, 5, 3, 3));
  }

  @Test
  void shouldMissNoKeyOfAComparator(SplittableRandom random) throws FormatException {
    for (int round = 0; round < 2000; round++) {
      boolean grouped = random.nextBoolean();
      KeyComparator order = grouped ? RunBlocksTest::byBytes : RunBlocksTest::backwards;
      KeyComparator exact = grouped ? RunBlocksTest::byAllBytes : RunBlocksTest::backFirstBytes;
      KeyComparator grouping = grouped ? FIRST_BYTE : null;
      KeyComparator exactGrouping = grouped ? RunBlocksTest::compareFirstBytes : null;
      GroupOrder all = new GroupOrder(KeyOrder.of(exact), exactGrouping);
      List<byte[]> keys = randomKeys(random, random.nextInt(3) == 0 ? 3 : 0);
      keys.sort(all::compare);
      List<List<byte[]>> blocks = cut(random, keys);
      List<List<byte[]>> indexed = new ArrayList<>(blocks);
      indexed.replaceAll(block -> random.nextInt(5) == 0 ? List.of(UNKNOWN) : block);
      byte[] from = random.nextInt(5) == 0 ? null : shortKey(random);
      byte[] to = random.nextInt(5) == 0 ? null : shortKey(random);
      KeyRange range = new KeyRange(from, to, grouping);
      GroupOrder groups = new GroupOrder(KeyOrder.of(order), grouping);
      RunBlocks found = RunBlocks.of(tail(Ordering.COMPARATOR, indexed), 1, range, groups);
      RunBlocks read =
          new RunBlocks(
              found.first() - 1, found.end() - 1, found.firstInner() - 1, found.endInner() - 1);
      for (int i = 0; i < blocks.size(); i++) {
        check(read, i, blocks, new KeyRange(from, to), all, blocks.equals(indexed));
      }
    }
  }

  /** No key that an index has cut may come here. */
  private static int byBytes(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
    assertThat(leftLength).isLessThan(RunDescriptor.MAX_KEY_LENGTH);
    assertThat(rightLength).isLessThan(RunDescriptor.MAX_KEY_LENGTH);
    return byAllBytes(left, leftOffset, leftLength, right, rightOffset, rightLength);
  }

  private static int byAllBytes(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
    return Arrays.compareUnsigned(
        left, leftOffset, leftOffset + leftLength, right, rightOffset, rightOffset + rightLength);
  }

  private static int backFirstBytes(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
    return compareFirstBytes(right, rightOffset, rightLength, left, leftOffset, leftLength);
  }

  @Test
  void shouldMissNoKeyAndTakeNoBlockForInnerThatIsNot(SplittableRandom random)
      throws FormatException {
    for (int round = 0; round < 2000; round++) {
      int longKeys = random.nextInt(3) == 0 ? 3 : 0;
      List<List<byte[]>> blocks = randomBlocks(random, longKeys);
      ChunkTail tail = tail(Ordering.NORMALIZED, blocks);
      KeyComparator grouping = random.nextBoolean() ? FIRST_BYTE : null;
      GroupOrder order = new GroupOrder(BYTES, grouping);
      byte[] from = random.nextInt(5) == 0 ? null : shortKey(random);
      byte[] to = random.nextInt(5) == 0 ? null : shortKey(random);
      RunBlocks read = RunBlocks.of(tail, 1, new KeyRange(from, to, grouping), order);
      // Tells groups of long keys, too: this one is not given to anybody else.
      GroupOrder exact =
          new GroupOrder(BYTES, grouping == null ? null : RunBlocksTest::compareFirstBytes);
      for (int i = 0; i < blocks.size(); i++) {
        check(read, i, blocks, new KeyRange(from, to), exact, true);
      }
    }
  }

  private static void check(
      RunBlocks read,
      int block,
      List<List<byte[]>> blocks,
      KeyRange range,
      GroupOrder exact,
      boolean known) {
    boolean isRead = block >= read.first() && block < read.end();
    for (byte[] key : blocks.get(block)) {
      boolean held =
          !range.isBelow(exact, key, 0, key.length) && !range.isAbove(exact, key, 0, key.length);
      assertThat(isRead || !held).as("block %d of %s", block, read).isTrue();
      assertThat(held || !isRead || !read.isInner(block)).as("inner %d", block).isTrue();
    }
    byte[] first = blocks.get(block).get(0);
    byte[] next = block + 1 == blocks.size() ? null : blocks.get(block + 1).get(0);
    boolean whole = known && blocks.stream().allMatch(keys -> keys.get(0).length < 256);
    if (whole && isRead) {
      boolean needed =
          !range.isAbove(exact, first, 0, first.length)
              && (next == null || !range.isBelow(exact, next, 0, next.length));
      boolean mayBe = block == 0 || block == read.first();
      assertThat(needed || mayBe).as("block %d of %s is of no use", block, read).isTrue();
    }
  }

  private static int compareFirstBytes(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
    int leftByte = leftLength == 0 ? -1 : left[leftOffset] & 0xff;
    int rightByte = rightLength == 0 ? -1 : right[rightOffset] & 0xff;
    return leftByte - rightByte;
  }

  private static byte[] shortKey(SplittableRandom random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) random.nextInt(3);
    }
    return key;
  }

  private static List<List<byte[]>> randomBlocks(SplittableRandom random, int longKeys) {
    List<byte[]> keys = randomKeys(random, longKeys);
    keys.sort(Arrays::compareUnsigned);
    return cut(random, keys);
  }

  private static List<byte[]> randomKeys(SplittableRandom random, int longKeys) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = random.nextInt(8, 40); i > 0; i--) {
      byte[] key = shortKey(random);
      boolean grows = key.length > 0 && random.nextInt(4) < longKeys;
      keys.add(grows ? Arrays.copyOf(key, 254 + random.nextInt(4)) : key);
    }
    return keys;
  }

  private static List<List<byte[]>> cut(SplittableRandom random, List<byte[]> keys) {
    List<List<byte[]>> blocks = new ArrayList<>();
    for (int at = 0, end; at < keys.size(); at = end) {
      end = Math.min(keys.size(), at + random.nextInt(1, 5));
      blocks.add(keys.subList(at, end));
    }
    return blocks;
  }
}

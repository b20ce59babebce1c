package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.order.StoredKeyComparator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pieces of partitions whose grouping comparators lie, and of some whose do not. */
class BorderProofTest {
  private static final int[] WINNERS = {0, 0, 1, 0, 2, 0, 3, 0};

  /** Groups that no order has side by side, as a job's comparator sees keys of four bytes. */
  private static final KeyComparator SAME_PARITY = grouping(2);

  private static final KeyComparator SAME_LAST_DIGIT = grouping(10);

  /** Groups of ten neighbours. */
  private static final KeyComparator SAME_TENS =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
          number(left, leftOffset) / 10 - number(right, rightOffset) / 10;

  @TempDir Path directory;

  private static int number(byte[] bytes, int offset) {
    return ByteBuffer.wrap(bytes).getInt(offset);
  }

  private static KeyComparator grouping(int modulus) {
    return (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
        number(left, leftOffset) % modulus - number(right, rightOffset) % modulus;
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static KeyOrder integers() {
    return KeyOrder.normalized(KeyEncoding.SIGNED);
  }

  /** Blocks of a few records, so that of most runs there are inner ones. */
  private static Partition partition(KeyOrder order) {
    return new Partition(order, CodecId.NONE).withSortedBlockBytes(60);
  }

  /** A map's numbers in a chunk: from, from + step, ... below the end. */
  private static void append(Partition partition, int map, int from, int step, int end) {
    List<Partition.Item> items = new ArrayList<>();
    for (int number = from; number < end; number += step) {
      items.add(new Partition.Item(key(number), new byte[5]));
    }
    partition.append(map, 0, map + 1, items);
  }

  /** Odd numbers up to 99 in runs that lie behind, over and beside each other. */
  private static Partition odd(KeyOrder order) {
    Partition partition = partition(order);
    append(partition, 0, 1, 4, 100);
    append(partition, 1, 3, 8, 50);
    append(partition, 2, 51, 4, 100);
    append(partition, 3, 7, 8, 100);
    return partition;
  }

  private static KeyRange range(KeyOrder order, Integer from, Integer to, KeyComparator grouping) {
    return new KeyRange(
        from == null ? null : ChunkFile.normalized(order, key(from)),
        to == null ? null : ChunkFile.normalized(order, key(to)),
        StoredKeyComparator.of(order.encoding(), grouping));
  }

  private List<Integer> read(Cluster cluster, KeyRange range, int... winners) throws IOException {
    List<Integer> numbers = new ArrayList<>();
    readInto(numbers, cluster, range, winners);
    return numbers;
  }

  private void readInto(List<Integer> numbers, Cluster cluster, KeyRange range, int... winners)
      throws IOException {
    try (Imerger imerger = cluster.open(cluster.config(directory))) {
      imerger.start(winners, range);
      while (imerger.next()) {
        numbers.add(number(imerger.keyBuffer(), imerger.keyOffset()));
      }
    }
  }

  private static void assertRefused(ThrowingCallable read, String... parts) {
    assertThatThrownBy(read)
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(LostBlocksException.class)
        .hasMessageContaining("job=" + Partition.JOB + " partition=" + Partition.NUMBER)
        .hasMessageContaining("sailfish.reduce.work=fixed")
        .hasMessageContainingAll(parts);
  }

  private static String text(int stored) {
    return "\\x80\\x00\\x00" + (stored < ' ' ? "\\x%02x".formatted(stored) : (char) stored);
  }

  @Test
  void aGroupOnBothSidesOfABorderIsRefused() throws IOException {
    KeyOrder order = integers();
    Partition one = partition(order);
    append(one, 0, 1, 2, 100);
    checkAllBorders(order, one, 0, 0);
    checkAllBorders(order, odd(order), WINNERS);
  }

  /** Borders at the beginning of a block too: no key above them is read there. */
  private void checkAllBorders(KeyOrder order, Partition partition, int... winners)
      throws IOException {
    try (Cluster cluster = new Cluster(partition, 2)) {
      for (int border = 2; border < 99; border += 2) {
        List<Integer> delivered = new ArrayList<>();
        KeyRange behind = range(order, border, null, SAME_PARITY);
        assertRefused(() -> readInto(delivered, cluster, behind, winners), "are one group");
        assertThat(delivered).as("all records come before the end").contains(border + 1, 99);
        KeyRange before = range(order, null, border, SAME_PARITY);
        assertRefused(() -> read(cluster, before, winners), "are one group");
        KeyRange between = range(order, border, border + 2, SAME_PARITY);
        assertRefused(() -> read(cluster, between, winners), "are one group");
      }
      assertRefused(
          () -> read(cluster, range(order, 50, null, SAME_PARITY), winners),
          "piece from=\"" + text('2') + "\" to=none",
          "key \"" + text('1') + "\" before",
          "key \"" + text('3') + "\" behind");
      assertRefused(
          () -> read(cluster, range(order, null, 50, SAME_PARITY), winners),
          "piece from=none to=\"" + text('2') + "\"",
          "key \"" + text('1') + "\" before",
          "key \"" + text('3') + "\" behind");
    }
  }

  @Test
  void keysThatLieOnTheWrongSideOfOthersAreRefused() throws IOException {
    KeyOrder order = integers();
    Partition partition = new Partition(order, CodecId.NONE);
    append(partition, 0, 1, 1, 100);
    append(partition, 1, 31, 3, 70);
    try (Cluster cluster = new Cluster(partition, 2)) {
      int[] winners = {0, 0, 1, 0};
      assertRefused(
          () -> read(cluster, range(order, 50, null, SAME_LAST_DIGIT), winners),
          "key \"" + text('1') + "\" before the border and key \"" + text(10) + "\" behind it",
          "are not in order");
      assertRefused(
          () -> read(cluster, range(order, null, 50, SAME_LAST_DIGIT), winners),
          "key \"" + text('1') + "\" before the border and key \"" + text(10) + "\" behind it",
          "are not in order");
    }
  }

  @Test
  void keysInTheOrderOfAComparatorAreProvedToo() throws IOException {
    KeyOrder order = KeyOrder.of(RandomPartition.DESCENDING);
    try (Cluster cluster = new Cluster(odd(order), 2)) {
      KeyRange behind = range(order, 50, null, SAME_PARITY);
      assertRefused(() -> read(cluster, behind, WINNERS), "are one group");
      KeyRange before = range(order, null, 50, SAME_PARITY);
      assertRefused(() -> read(cluster, before, WINNERS), "are one group");
      assertThat(read(cluster, range(order, 60, null, SAME_TENS), WINNERS)).contains(69, 1);
    }
  }

  @Test
  void piecesOfWholeGroupsAreGood() throws IOException {
    KeyOrder order = integers();
    try (Cluster cluster = new Cluster(odd(order), 2)) {
      List<Integer> whole = read(cluster, null, WINNERS);
      for (int border = 1; border < 105; border++) {
        List<Integer> both =
            new ArrayList<>(read(cluster, range(order, null, border, SAME_TENS), WINNERS));
        both.addAll(read(cluster, range(order, border, null, SAME_TENS), WINNERS));
        assertThat(both).as("border %d", border).isEqualTo(whole);
      }
    }
  }

  @Test
  void aPieceWithoutRecordsSplitsNoGroup() throws IOException {
    KeyOrder order = integers();
    try (Cluster cluster = new Cluster(odd(order), 2)) {
      assertThat(read(cluster, range(order, 100, null, SAME_PARITY), WINNERS)).isEmpty();
      assertThat(read(cluster, range(order, null, 0, SAME_PARITY), WINNERS)).isEmpty();
      assertThat(read(cluster, range(order, 40, 40, SAME_PARITY), WINNERS)).isEmpty();
      assertThat(read(cluster, range(order, 60, 40, SAME_PARITY), WINNERS)).isEmpty();
    }
  }

  @Test
  void keysOfLosersAreInNoGroup() throws IOException {
    KeyOrder order = integers();
    Partition partition = partition(order);
    append(partition, 0, 12, 47, 60);
    append(partition, 1, 49, 1, 50);
    try (Cluster cluster = new Cluster(partition, 1)) {
      KeyRange range = range(order, 50, null, SAME_LAST_DIGIT);
      assertThat(read(cluster, range, 0, 0)).containsExactly(59);
      assertRefused(() -> read(cluster, range, 0, 0, 1, 0), "are one group");
    }
  }

  @Test
  void theKeysBesideABorderDecide() throws IOException {
    KeyOrder order = integers();
    Partition partition = partition(order);
    append(partition, 0, 29, 30, 60);
    append(partition, 1, 48, 1, 49);
    try (Cluster cluster = new Cluster(partition, 1)) {
      // 29 and 59 are one group for the comparator, but stock would call reduce for 48 between.
      KeyRange range = range(order, 50, null, SAME_LAST_DIGIT);
      assertThat(read(cluster, range, 0, 0, 1, 0)).containsExactly(59);
      assertRefused(() -> read(cluster, range, 0, 0), "are one group");
    }
  }
}

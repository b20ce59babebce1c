package dev.sailfish.format.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GroupOrderTest {
  private static final KeyOrder BYTES = KeyOrder.normalized(KeyEncoding.RAW);

  /** A group: keys with the same first letter. */
  private static final KeyComparator FIRST_LETTER =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
          Arrays.compareUnsigned(
              left,
              leftOffset,
              leftOffset + Math.min(1, leftLength),
              right,
              rightOffset,
              rightOffset + Math.min(1, rightLength));

  private static final KeyComparator DESCENDING =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
          BYTES.compare(right, rightOffset, rightLength, left, leftOffset, leftLength);

  private final long seed = Long.getLong("sailfish.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void shouldTakeEqualKeysForAGroup() {
    GroupOrder order = new GroupOrder(BYTES, null);
    assertThat(order.isByBytes()).isTrue();
    assertThat(order.isBefore(key("a1"), key("a2"))).isTrue();
    assertThat(order.isBefore(key("a2"), key("a2"))).isFalse();
    assertThat(order.isBefore(key("a2"), key("a1"))).isFalse();
    assertThat(order.sameGroup(key("a"), key("a"))).isTrue();
    assertThat(order.sameGroup(key("a"), key("ab"))).isFalse();
  }

  @Test
  void shouldTakeABorderForTheFirstKeyOfItsGroup() {
    GroupOrder order = new GroupOrder(BYTES, FIRST_LETTER);
    assertThat(order.isByBytes()).isFalse();
    assertThat(order.isBefore(key("a1"), key("a2"))).isFalse();
    assertThat(order.isBefore(key("a1"), key("b"))).isTrue();
    assertThat(order.isBefore(key("b"), key("a1"))).isFalse();
    assertThat(order.sameGroup(key("a1"), key("a2"))).isTrue();
    assertThat(order.compare(key("a1"), key("a2"))).isNegative();
  }

  @Test
  void shouldTakeWhatAComparatorSaysIsEqualForAGroup() {
    GroupOrder order = new GroupOrder(KeyOrder.of(DESCENDING), null);
    assertThat(order.isByBytes()).isFalse();
    assertThat(order.isBefore(key("b"), key("a"))).isTrue();
    assertThat(order.isBefore(key("a"), key("b"))).isFalse();
    assertThat(new GroupOrder(KeyOrder.of(FIRST_LETTER), null).sameGroup(key("a1"), key("a2")))
        .isTrue();
  }

  @Test
  void shouldDivideSortedKeysBetweenGroupsOnly() {
    GroupOrder grouped = new GroupOrder(BYTES, FIRST_LETTER);
    GroupOrder backwards = new GroupOrder(KeyOrder.of(DESCENDING), FIRST_LETTER);
    for (GroupOrder order : List.of(grouped, backwards)) {
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        byte[] drawn = new byte[random.nextInt(4)];
        for (int at = 0; at < drawn.length; at++) {
          drawn[at] = (byte) random.nextInt(256);
        }
        keys.add(drawn);
      }
      keys.sort(Comparator.comparing(key -> key, order::compare));
      byte[] border = keys.get(random.nextInt(keys.size()));
      for (int i = 1; i < keys.size(); i++) {
        boolean left = order.isBefore(keys.get(i - 1), border);
        boolean right = order.isBefore(keys.get(i), border);
        assertThat(left || !right).as("seed=%d once behind, always behind", seed).isTrue();
        assertThat(left != right && order.sameGroup(keys.get(i - 1), keys.get(i)))
            .as("seed=%d a group is on one side", seed)
            .isFalse();
      }
    }
  }

  @Test
  void shouldLookAtAPartOfAnArray() {
    byte[] buffer = key("xxa1yy");
    for (GroupOrder order :
        List.of(new GroupOrder(BYTES, null), new GroupOrder(BYTES, FIRST_LETTER))) {
      for (String other : List.of("a", "a1", "a2", "b", "0")) {
        assertThat(order.isBefore(buffer, 2, 2, key(other)))
            .isEqualTo(order.isBefore(key("a1"), key(other)));
        assertThat(order.sameGroup(buffer, 2, 2, key(other)))
            .isEqualTo(order.sameGroup(key("a1"), key(other)));
      }
    }
  }
}

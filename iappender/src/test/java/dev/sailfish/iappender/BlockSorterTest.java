package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@Seeded
class BlockSorterTest {
  private static void check(
      SplittableRandom random, KeyOrder order, Comparator<byte[]> expected, int maxKey) {
    check(random, order, expected, maxKey, () -> key(random, maxKey));
  }

  private static byte[] key(SplittableRandom random, int maxKey) {
    byte[] key = TestBytes.random(random, random.nextInt(maxKey + 1));
    if (key.length > 0 && random.nextBoolean()) {
      Arrays.fill(key, 0, random.nextInt(key.length), (byte) random.nextInt(3));
    }
    return key;
  }

  /** Sorts records whose keys {@code draw} makes, beside a stable sort of objects. */
  private static void check(
      SplittableRandom random,
      KeyOrder order,
      Comparator<byte[]> expected,
      int maxKey,
      Supplier<byte[]> draw) {
    int count = random.nextInt(3000);
    byte[] bytes = new byte[8 + count * (maxKey + 160)];
    List<byte[]> keys = new ArrayList<>();
    List<Integer> offsets = new ArrayList<>();
    int position = 8;
    for (int i = 0; i < count; i++) {
      byte[] key = draw.get();
      int valueLength = random.nextInt(150);
      keys.add(key);
      offsets.add(position);
      position = RecordDescriptor.putHeader(bytes, position, key.length, valueLength);
      System.arraycopy(key, 0, bytes, position, key.length);
      position += key.length + valueLength;
    }
    List<Integer> ordinals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ordinals.add(i);
    }
    ordinals.sort((left, right) -> expected.compare(keys.get(left), keys.get(right)));
    int[] sorted = Arrays.copyOf(new BlockSorter(order).sort(bytes, 8, count), count);
    assertThat(sorted).isEqualTo(ordinals.stream().mapToInt(offsets::get).toArray());
  }

  @RepeatedTest(20)
  void sortsNormalizedKeysByBytesAndIsStable(SplittableRandom random) {
    KeyOrder order = KeyOrder.normalized(KeyEncoding.RAW);
    check(random, order, Arrays::compareUnsigned, 1 + random.nextInt(20));
  }

  /** Few keys that come often, have much in common, and end where others have zeros. */
  @RepeatedTest(20)
  void sortsKeysThatComeOftenAndIsStable(SplittableRandom random) {
    byte[] common = TestBytes.random(random, random.nextInt(30));
    byte[][] words = new byte[1 + random.nextInt(20)][];
    for (int i = 0; i < words.length; i++) {
      words[i] = Arrays.copyOf(common, random.nextInt(common.length + 1) + random.nextInt(12));
    }
    KeyOrder order = KeyOrder.normalized(KeyEncoding.RAW);
    Supplier<byte[]> draw = () -> words[random.nextInt(words.length)];
    check(random, order, Arrays::compareUnsigned, common.length + 12, draw);
  }

  @RepeatedTest(20)
  void sortsByComparatorAndIsStable(SplittableRandom random) {
    check(
        random,
        KeyOrder.of(Keys.BY_LAST_BYTE),
        (left, right) -> Keys.BY_LAST_BYTE.compare(left, 0, left.length, right, 0, right.length),
        1 + random.nextInt(20));
  }

  @Test
  void arraysAreReusedForBlocksOfAnyLength(SplittableRandom random) {
    BlockSorter sorter = new BlockSorter(KeyOrder.normalized(KeyEncoding.RAW));
    byte[] bytes = new byte[30];
    for (int count : new int[] {1, 9, 0, 3}) {
      for (int i = 0; i < count; i++) {
        int position = RecordDescriptor.putHeader(bytes, i * 3, 1, 0);
        bytes[position] = (byte) random.nextInt(256);
      }
      int[] sorted = Arrays.copyOf(sorter.sort(bytes, 0, count), count);
      assertThat(Arrays.stream(sorted).map(offset -> bytes[offset + 2] & 0xff).toArray())
          .isSorted();
    }
  }
}

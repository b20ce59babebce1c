package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class KeyMappingTest {
  private static final int SHOWN = 50;
  private static final int MAPPED = 400;

  private final KeyMapping mapping = new KeyMapping();

  private ByteBuffer data;
  private int[] offsets;

  private void lay(byte[][] keys) {
    int length = Arrays.stream(keys).mapToInt(key -> key.length).sum();
    data = ByteBuffer.allocateDirect(length);
    offsets = new int[keys.length];
    int offset = 0;
    for (int i = 0; i < keys.length; i++) {
      offsets[i] = offset;
      data.put(offset, keys[i]);
      offset += keys[i].length;
    }
  }

  private void fit(byte[][] keys, int shown) {
    lay(keys);
    mapping.start(data, offsets[0], keys[0].length);
    for (int i = 1; i < shown; i++) {
      mapping.prefix(offsets[i], keys[i].length);
    }
    for (int i = 0; i < shown; i++) {
      mapping.range(offsets[i], keys[i].length);
    }
    mapping.finish();
  }

  @Test
  void neverReversesTwoKeys(SplittableRandom random) {
    for (int round = 0; round < 300; round++) {
      int symbols = 1 + random.nextInt(round % 2 == 0 ? 4 : 256);
      byte[] prefix = TestBytes.random(random, random.nextInt(20));
      byte[][] keys = new byte[MAPPED][];
      for (int i = 0; i < keys.length; i++) {
        // Those that are not shown stray further.
        int range = i < SHOWN ? symbols : Math.min(256, symbols * 2);
        byte[] start = i < SHOWN || random.nextInt(10) > 0 ? prefix : new byte[random.nextInt(20)];
        keys[i] = Arrays.copyOf(start, start.length + random.nextInt(12));
        for (int j = start.length; j < keys[i].length; j++) {
          keys[i][j] = (byte) (random.nextInt(range) + 100);
        }
      }
      fit(keys, SHOWN);
      checkOrder(keys);
    }
  }

  private void checkOrder(byte[][] keys) {
    Integer[] order = new Integer[keys.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (left, right) -> Arrays.compareUnsigned(keys[left], keys[right]));
    long last = 0;
    for (int i : order) {
      long number = mapping.map(offsets[i], keys[i].length);
      assertThat(number).isBetween(last, (1L << KeyMapping.BITS) - 1);
      last = number;
    }
  }

  @Test
  void tellsKeysApartThatItWasShown() {
    byte[][] keys = new byte[100_000][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = String.format("user-%05d-%s", i, "same").getBytes();
    }
    fit(keys, keys.length);
    long last = -1;
    for (int i = 0; i < keys.length; i++) {
      long number = mapping.map(offsets[i], keys[i].length);
      assertThat(number).isGreaterThan(last);
      last = number;
    }
    assertThat(mapping.outside()).isZero();
  }

  @Test
  void countsKeysThatAreNotLikeTheOnesItWasShown() {
    byte[][] keys = {{'a', '1'}, {'a', '5'}, {'a', '3'}, {'a', '7'}, {'a'}, {'b', '3'}, {}};
    fit(keys, 2);
    for (int i = 0; i < keys.length; i++) {
      mapping.map(offsets[i], keys[i].length);
    }
    assertThat(mapping.outside()).isEqualTo(4);
  }

  @Test
  void knowsWhenAllKeysAreEqual() {
    fit(new byte[][] {{1, 2}, {1, 2}, {1, 2}}, 3);
    assertThat(mapping.allEqual()).isTrue();
    fit(new byte[][] {{1, 2}, {1, 2}, {1, 2, 0}}, 3);
    assertThat(mapping.allEqual()).isFalse();
  }
}

package dev.sailfish.format.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The comparator inside gets what Hadoop would have serialized. */
class StoredKeyComparatorTest {
  private final long seed = Long.getLong("sailfish.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  /** Keys as they were given to the comparator inside. */
  private byte[] left;

  private byte[] right;

  private int remember(
      byte[] leftBuffer,
      int leftOffset,
      int leftLength,
      byte[] rightBuffer,
      int rightOffset,
      int rightLength) {
    left = Arrays.copyOfRange(leftBuffer, leftOffset, leftOffset + leftLength);
    right = Arrays.copyOfRange(rightBuffer, rightOffset, rightOffset + rightLength);
    return 17;
  }

  private byte[] serialized(KeyEncoding encoding) {
    long number = random.nextLong() >> random.nextInt(64);
    byte[] plain = new byte[random.nextInt(8) == 0 ? random.nextInt(70_000) : random.nextInt(200)];
    for (int i = 0; i < plain.length; i++) {
      plain[i] = (byte) random.nextInt(256);
    }
    return switch (encoding) {
      case RAW -> plain;
      case TEXT -> concat(variable(plain.length), plain);
      case BYTES -> concat(ByteBuffer.allocate(4).putInt(plain.length).array(), plain);
      case SIGNED, SIGNED_DESCENDING -> ByteBuffer.allocate(8).putLong(number).array();
      case FLOATING -> ByteBuffer.allocate(8).putDouble(number * 0.37).array();
      case VARIABLE_INTEGER -> variable(number);
    };
  }

  private static byte[] concat(byte[] front, byte[] back) {
    return ByteBuffer.allocate(front.length + back.length).put(front).put(back).array();
  }

  /** As Hadoop's WritableUtils.writeVLong. */
  private static byte[] variable(long value) {
    if (value >= -112 && value <= 127) {
      return new byte[] {(byte) value};
    }
    long magnitude = value < 0 ? ~value : value;
    int length = (71 - Long.numberOfLeadingZeros(magnitude)) / 8;
    byte[] bytes = new byte[1 + length];
    bytes[0] = (byte) ((value < 0 ? -120 : -112) - length);
    for (int i = 0; i < length; i++) {
      bytes[length - i] = (byte) (magnitude >>> (8 * i));
    }
    return bytes;
  }

  /** A stored key at some place of an array, with other bytes on both sides. */
  private record Stored(byte[] buffer, int offset, int length) {}

  private Stored stored(KeyEncoding encoding, byte[] serialized) {
    byte[] key = serialized.clone();
    int stripped = encoding.normalize(key, 0, key.length);
    int offset = random.nextInt(3);
    byte[] buffer = new byte[offset + key.length - stripped + random.nextInt(3)];
    Arrays.fill(buffer, (byte) 'x');
    System.arraycopy(key, stripped, buffer, offset, key.length - stripped);
    return new Stored(buffer, offset, key.length - stripped);
  }

  @ParameterizedTest
  @EnumSource(KeyEncoding.class)
  void shouldTurnBothKeysBack(KeyEncoding encoding) {
    KeyComparator comparator = StoredKeyComparator.of(encoding, this::remember);
    for (int round = 0; round < 2000; round++) {
      byte[] expectedLeft = serialized(encoding);
      byte[] expectedRight = random.nextInt(10) == 0 ? expectedLeft : serialized(encoding);
      Stored a = stored(encoding, expectedLeft);
      Stored b = stored(encoding, expectedRight);
      byte[] before = a.buffer.clone();
      assertThat(compare(comparator, a, b)).isEqualTo(17);
      assertThat(left).as("seed=%d", seed).isEqualTo(expectedLeft);
      assertThat(right).as("seed=%d", seed).isEqualTo(expectedRight);
      assertThat(a.buffer).as("seed=%d stays as it is", seed).isEqualTo(before);
      assertThat(compare(comparator, a, a)).isEqualTo(17);
      assertThat(left).isEqualTo(expectedLeft);
      assertThat(right).as("seed=%d one key on both sides", seed).isEqualTo(expectedLeft);
    }
  }

  private static int compare(KeyComparator comparator, Stored a, Stored b) {
    return comparator.compare(a.buffer, a.offset, a.length, b.buffer, b.offset, b.length);
  }

  @Test
  void shouldStandAsideWhenKeysAreStoredAsTheyAreSerialized() {
    KeyComparator inside = this::remember;
    assertThat(StoredKeyComparator.of(KeyEncoding.RAW, inside)).isSameAs(inside);
  }

  @Test
  void shouldPassOnWhatTheComparatorThrows() {
    KeyComparator comparator =
        StoredKeyComparator.of(
            KeyEncoding.TEXT,
            (l, leftOffset, leftLength, r, rightOffset, rightLength) -> {
              throw new IllegalStateException("from inside");
            });
    assertThatThrownBy(() -> comparator.compare(new byte[1], 0, 1, new byte[1], 0, 1))
        .hasMessage("from inside");
  }

  @ParameterizedTest
  @EnumSource(KeyEncoding.class)
  void shouldMakeNoObjectPerComparison(KeyEncoding encoding) {
    KeyComparator comparator =
        StoredKeyComparator.of(
            encoding,
            (l, leftOffset, leftLength, r, rightOffset, rightLength) -> leftLength - rightLength);
    Stored a = stored(encoding, serialized(encoding));
    Stored b = stored(encoding, serialized(encoding));
    int sum = compare(comparator, a, b);
    com.sun.management.ThreadMXBean thread =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getThreadAllocatedBytes(Thread.currentThread().getId());
    for (int round = 0; round < 10_000; round++) {
      sum += compare(comparator, a, b);
    }
    long allocated = thread.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    assertThat(sum).isEqualTo(10_001 * (compare(comparator, a, b)));
    assertThat(allocated).as("bytes in 10000 comparisons").isLessThan(10_000);
  }
}

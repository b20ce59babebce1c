package dev.sailfish.format.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Normalized order = the order of the keys, and both ways are inverses. */
class KeyEncodingTest {
  private static final int ROUNDS = 20_000;

  private final long seed = Long.getLong("sailfish.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  private byte[] normalized(KeyEncoding encoding, byte[] serialized) {
    byte[] buffer = new byte[serialized.length + 16];
    System.arraycopy(serialized, 0, buffer, 8, serialized.length);
    int stripped = encoding.normalize(buffer, 8, serialized.length);
    byte[] key = Arrays.copyOfRange(buffer, 8 + stripped, 8 + serialized.length);

    byte[] back = new byte[key.length + 16];
    System.arraycopy(key, 0, back, 8, key.length);
    int prefix = encoding.denormalize(back, 8, key.length);
    assertThat(Arrays.copyOfRange(back, 8 - prefix, 8 + key.length))
        .as("seed=%d %s", seed, encoding)
        .isEqualTo(serialized);
    return key;
  }

  private void checkOrder(KeyEncoding encoding, byte[] left, byte[] right, int expected) {
    byte[] l = normalized(encoding, left);
    byte[] r = normalized(encoding, right);
    assertThat(Integer.signum(Arrays.compareUnsigned(l, r)))
        .as("seed=%d %s %s %s", seed, encoding, Arrays.toString(left), Arrays.toString(right))
        .isEqualTo(Integer.signum(expected));
    int byPrefix =
        Long.compareUnsigned(
            KeyEncoding.prefix(l, 0, l.length), KeyEncoding.prefix(r, 0, r.length));
    assertThat(byPrefix == 0 || Integer.signum(byPrefix) == Integer.signum(expected)).isTrue();
  }

  @Test
  void shouldOrderIntegersOfEveryWidth() {
    for (int round = 0; round < ROUNDS; round++) {
      long a = random.nextLong() >> random.nextInt(64);
      long b = random.nextInt(4) == 0 ? a : random.nextLong() >> random.nextInt(64);
      checkOrder(KeyEncoding.SIGNED, bytes(a), bytes(b), Long.compare(a, b));
      checkOrder(KeyEncoding.SIGNED_DESCENDING, bytes(a), bytes(b), Long.compare(b, a));
      byte[] shortA = {(byte) a};
      byte[] shortB = {(byte) b};
      checkOrder(KeyEncoding.SIGNED, shortA, shortB, Byte.compare((byte) a, (byte) b));
    }
  }

  @Test
  void shouldOrderFloatingPointAsDoubleCompareDoes() {
    double[] corners = {
      0.0,
      -0.0,
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.MIN_VALUE,
      -Double.MIN_VALUE,
      Double.MAX_VALUE,
      -1.5
    };
    for (int round = 0; round < ROUNDS; round++) {
      double a = round % 2 == 0 ? corners[random.nextInt(corners.length)] : anyDouble();
      double b = round % 3 == 0 ? corners[random.nextInt(corners.length)] : anyDouble();
      checkOrder(
          KeyEncoding.FLOATING,
          bytes(Double.doubleToLongBits(a)),
          bytes(Double.doubleToLongBits(b)),
          Double.compare(a, b));
    }
  }

  private double anyDouble() {
    return Double.longBitsToDouble(random.nextLong());
  }

  @Test
  void shouldOrderVariableIntegers() {
    for (int round = 0; round < ROUNDS; round++) {
      long a = random.nextLong() >> random.nextInt(64);
      long b = random.nextInt(4) == 0 ? a + 1 : random.nextLong() >> random.nextInt(64);
      checkOrder(KeyEncoding.VARIABLE_INTEGER, variable(a), variable(b), Long.compare(a, b));
    }
  }

  @Test
  void shouldStripAndRestoreLengthsOfText() {
    for (int length : new int[] {0, 1, 112, 127, 128, 129, 255, 256, 65_535, 65_536, 1 << 20}) {
      byte[] text = new byte[length];
      Arrays.fill(text, (byte) 'x');
      byte[] prefix = variable(length);
      byte[] serialized = Arrays.copyOf(prefix, prefix.length + length);
      System.arraycopy(text, 0, serialized, prefix.length, length);
      assertThat(normalized(KeyEncoding.TEXT, serialized)).isEqualTo(text);

      ByteBuffer counted = ByteBuffer.allocate(4 + length).putInt(length).put(text);
      assertThat(normalized(KeyEncoding.BYTES, counted.array())).isEqualTo(text);
    }
  }

  @Test
  void shouldRefuseWhatIsNoSuchKey() {
    byte[] bad = {5, 'a', 'b'};
    assertThatThrownBy(() -> KeyEncoding.TEXT.normalize(bad.clone(), 0, 3))
        .hasMessageContaining("length=3");
    assertThatThrownBy(() -> KeyEncoding.TEXT.normalize(bad, 0, 0))
        .hasMessageContaining("length=0");
    assertThatThrownBy(() -> KeyEncoding.BYTES.normalize(bad.clone(), 0, 3))
        .hasMessageContaining("length=3");
    assertThatThrownBy(() -> KeyEncoding.VARIABLE_INTEGER.normalize(new byte[] {-113, 1, 1}, 0, 3))
        .hasMessageContaining("length=3");
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(8).putLong(value).array();
  }

  /** As Hadoop's WritableUtils.writeVLong. */
  private static byte[] variable(long value) {
    if (value >= -112 && value <= 127) {
      return new byte[] {(byte) value};
    }
    int tag = value < 0 ? -120 : -112;
    long magnitude = value < 0 ? ~value : value;
    int length = (71 - Long.numberOfLeadingZeros(magnitude)) / 8;
    byte[] bytes = new byte[1 + length];
    bytes[0] = (byte) (tag - length);
    for (int i = 0; i < length; i++) {
      bytes[length - i] = (byte) (magnitude >>> (8 * i));
    }
    return bytes;
  }
}

package dev.sailfish.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** What every codec must do; a subclass names the codec. */
@Seeded
abstract class BlockCompressionContract {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int DAMAGED = 2000;
  private static final int MARGIN = 40;
  private static final byte FILL = 0x5a;

  private final BlockCompression codec;

  BlockCompressionContract(CodecId id) {
    this(id, BlockCompression.of(id));
  }

  BlockCompressionContract(CodecId id, BlockCompression codec) {
    this.codec = codec;
    assertThat(codec.id()).isEqualTo(id);
  }

  final BlockCompression codec() {
    return codec;
  }

  static Stream<byte[]> corpora(SplittableRandom random) {
    byte[] counted = new byte[200_000];
    for (int i = 0; i < counted.length; i++) {
      counted[i] = (byte) (i / 300);
    }
    return Stream.of(
        new byte[0],
        new byte[1],
        new byte[100_000],
        counted,
        TestBytes.random(random, 1),
        TestBytes.random(random, 7),
        TestBytes.random(random, random.nextInt(100_000)),
        TestBytes.text(random, random.nextInt(100_000)),
        TestBytes.compressible(random, random.nextInt(100_000), 0.5),
        TestBytes.compressible(random, random.nextInt(300_000), 0.95));
  }

  private byte[] compressed(byte[] raw) {
    byte[] stored = new byte[codec.maxCompressedLength(raw.length)];
    return Arrays.copyOf(stored, codec.compress(raw, 0, raw.length, stored, 0));
  }

  @Test
  void comesBackFromArrays(SplittableRandom random) {
    corpora(random).forEach(raw -> roundTripInArrays(raw, random.nextInt(MARGIN)));
  }

  @Test
  void comesBackFromBuffers(SplittableRandom random) {
    corpora(random)
        .forEach(
            raw -> {
              roundTripInBuffers(raw, random.nextInt(MARGIN), true, true);
              roundTripInBuffers(raw, random.nextInt(MARGIN), true, false);
              roundTripInBuffers(raw, random.nextInt(MARGIN), false, true);
              roundTripInBuffers(raw, random.nextInt(MARGIN), false, false);
            });
  }

  @Test
  void takesTwentyMegabytes(SplittableRandom random) {
    roundTripInArrays(TestBytes.compressible(random, 20 << 20, 0.6), 3);
    roundTripInBuffers(TestBytes.random(random, 20 << 20), 3, true, true);
  }

  @Test
  void compressesTheSameWayFromArraysAndBuffers(SplittableRandom random) {
    corpora(random)
        .forEach(
            raw -> {
              byte[] expected = compressed(raw);
              ByteBuffer out = ByteBuffer.allocateDirect(codec.maxCompressedLength(raw.length));
              int length = codec.compress(ByteBuffer.wrap(raw), 0, raw.length, out, 0);
              byte[] actual = new byte[length];
              out.get(0, actual);
              assertThat(actual).isEqualTo(expected);
            });
  }

  private void roundTripInArrays(byte[] raw, int margin) {
    byte[] in = new byte[raw.length + 2 * margin];
    System.arraycopy(raw, 0, in, margin, raw.length);
    int bound = codec.maxCompressedLength(raw.length);
    byte[] stored = filled(bound + 2 * margin);
    int length = codec.compress(in, margin, raw.length, stored, margin);
    assertThat(length).isBetween(0, bound);
    assertThat(length == 0).isEqualTo(raw.length == 0);
    assertUntouched(stored, margin, bound);
    byte[] out = filled(raw.length + 2 * margin);
    try {
      codec.decompress(stored, margin, length, out, margin, raw.length);
    } catch (CorruptFormatException e) {
      throw new AssertionError(e);
    }
    assertThat(Arrays.equals(out, margin, margin + raw.length, raw, 0, raw.length)).isTrue();
    assertUntouched(out, margin, raw.length);
  }

  private void roundTripInBuffers(byte[] raw, int margin, boolean directIn, boolean directOut) {
    ByteBuffer in = buffer(raw.length + 2 * margin, directIn);
    in.duplicate().clear().put(margin, raw);
    int bound = codec.maxCompressedLength(raw.length);
    ByteBuffer stored = buffer(bound + 2 * margin, directOut);
    int length = codec.compress(in, margin, raw.length, stored, margin);
    assertThat(length).isBetween(0, bound);
    ByteBuffer out = buffer(raw.length + 2 * margin, directIn);
    try {
      codec.decompress(stored, margin, length, out, margin, raw.length);
    } catch (CorruptFormatException e) {
      throw new AssertionError(e);
    }
    byte[] around = bytes(out);
    assertThat(Arrays.equals(around, margin, margin + raw.length, raw, 0, raw.length)).isTrue();
    for (ByteBuffer used : new ByteBuffer[] {in, stored, out}) {
      assertThat(used.position()).isEqualTo(1);
      assertThat(used.limit()).isEqualTo(Math.max(1, used.capacity() - 1));
    }
    assertUntouched(around, margin, raw.length);
  }

  /** A buffer whose position and limit would be wrong if anybody used them. */
  private static ByteBuffer buffer(int length, boolean direct) {
    int capacity = Math.max(1, length);
    ByteBuffer buffer =
        direct
            ? ByteBuffer.allocateDirect(capacity)
            : ByteBuffer.allocate(capacity + 5).slice(5, capacity);
    buffer.put(0, filled(capacity));
    return buffer.limit(Math.max(1, capacity - 1)).position(1);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    buffer.duplicate().clear().get(bytes);
    return bytes;
  }

  private static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, FILL);
    return bytes;
  }

  private static void assertUntouched(byte[] bytes, int margin, int length) {
    for (int i = 0; i < bytes.length; i++) {
      if (i < margin || i >= margin + length) {
        assertThat(bytes[i]).as("byte outside of the range at " + i).isEqualTo(FILL);
      }
    }
  }

  @Test
  void neverEscapesItsErrorTypeOnDamagedInput(Seed seed) {
    Assertions.assertTimeoutPreemptively(DEADLINE, () -> damage(seed.splittable()));
  }

  private void damage(SplittableRandom random) {
    byte[][] corpus = corpora(random).filter(raw -> raw.length > 0).toArray(byte[][]::new);
    for (int round = 0; round < DAMAGED; round++) {
      byte[] raw = corpus[random.nextInt(corpus.length)];
      byte[] stored = compressed(raw);
      stored = damaged(stored, random);
      int rawLength = random.nextInt(4) == 0 ? random.nextInt(2 * raw.length + 1) : raw.length;
      decompressDamaged(stored, rawLength);
    }
  }

  private static byte[] damaged(byte[] stored, SplittableRandom random) {
    byte[] damaged = stored.clone();
    switch (random.nextInt(4)) {
      case 0 -> damaged = Arrays.copyOf(damaged, random.nextInt(damaged.length));
      case 1 -> damaged = Arrays.copyOf(damaged, damaged.length + 1 + random.nextInt(20));
      case 2 -> damaged = TestBytes.random(random, 1 + random.nextInt(damaged.length));
      default -> {
        for (int flips = 1 + random.nextInt(5); flips > 0; flips--) {
          damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
    }
    return damaged;
  }

  private void decompressDamaged(byte[] stored, int rawLength) {
    byte[] out = filled(rawLength + 2 * MARGIN);
    byte[] in = new byte[stored.length + 2 * MARGIN];
    System.arraycopy(stored, 0, in, MARGIN, stored.length);
    try {
      codec.decompress(in, MARGIN, stored.length, out, MARGIN, rawLength);
    } catch (CorruptFormatException e) {
      assertThat(e)
          .hasMessageContaining("codec=" + codec.id().label())
          .hasMessageContaining("storedLength=" + stored.length)
          .hasMessageContaining("rawLength=" + rawLength);
    }
    assertUntouched(out, MARGIN, rawLength);
    ByteBuffer direct = buffer(rawLength + 2 * MARGIN, true);
    ByteBuffer directIn = ByteBuffer.allocateDirect(in.length).put(0, in);
    try {
      codec.decompress(directIn, MARGIN, stored.length, direct, MARGIN, rawLength);
    } catch (CorruptFormatException e) {
      assertThat(e).hasMessageContaining("codec=" + codec.id().label());
    }
    assertUntouched(bytes(direct), MARGIN, rawLength);
  }

  @Test
  void refusesAnotherRawLength(SplittableRandom random) {
    byte[] raw = TestBytes.text(random, 1000);
    byte[] stored = compressed(raw);
    byte[] out = new byte[2000];
    for (int wrong : new int[] {0, 1, 999, 1001, 2000}) {
      assertThatExceptionOfType(CorruptFormatException.class)
          .isThrownBy(() -> codec.decompress(stored, 0, stored.length, out, 0, wrong))
          .withMessageContaining("rawLength=" + wrong);
    }
    assertThatExceptionOfType(CorruptFormatException.class)
        .isThrownBy(() -> codec.decompress(stored, 0, 0, out, 0, 1000));
  }

  @Test
  void refusesRangesOutsideOfTheArray(SplittableRandom random) {
    byte[] raw = TestBytes.text(random, 1000);
    int bound = codec.maxCompressedLength(1000);
    assertThatThrownBy(() -> codec.compress(raw, 1, 1000, new byte[bound], 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> codec.compress(raw, 0, 1000, new byte[bound], 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    byte[] stored = compressed(raw);
    assertThatThrownBy(() -> codec.decompress(stored, 1, stored.length, raw, 0, 1000))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> codec.decompress(stored, 0, stored.length, raw, -1, 1000))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void refusesBlocksThatWouldNotFitAnArray() {
    assertThatThrownBy(() -> codec.maxCompressedLength(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("codec=" + codec.id().label());
  }
}

package dev.sailfish.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bytes that no compressor wrote, and blocks that promise more than they hold: an error, nothing
 * written outside of the output, and no memory worth speaking of. {@code -Dsailfish.rounds=N} makes
 * it longer.
 */
@Seeded
class GarbageDecompressionTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 20_000);
  private static final int MARGIN = 24;
  private static final byte FILL = 0x5a;

  /** Working memory of a decompressor, made once, and an exception with its text each time. */
  private static final long FIRST_BYTES = 4L << 20;

  private static final long BYTES_PER_ROUND = 64L << 10;

  private final byte[] out = new byte[100_000 + 2 * MARGIN];

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void garbageIsRefusedOrFillsTheOutputAndNothingElse(CodecId id, SplittableRandom random) {
    BlockCompression codec = BlockCompression.of(id);
    long before = allocated();
    long made = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] in = TestBytes.random(random, TestBytes.skewedLength(random, 4096));
      frame(id, in, random);
      made += in.length;
      int rawLength = TestBytes.skewedLength(random, out.length - 2 * MARGIN);
      decompress(codec, in, in.length, rawLength);
    }
    assertThat(allocated() - before - made)
        .as("bytes allocated in %d rounds", ROUNDS)
        .isLessThan(FIRST_BYTES + ROUNDS * BYTES_PER_ROUND);
  }

  /** Zstandard looks at nothing behind a wrong magic number: gives it the right one. */
  private static void frame(CodecId id, byte[] in, SplittableRandom random) {
    if (id == CodecId.ZSTD && in.length >= 6 && random.nextInt(8) > 0) {
      in[0] = 0x28;
      in[1] = (byte) 0xb5;
      in[2] = 0x2f;
      in[3] = (byte) 0xfd;
    }
  }

  private void decompress(BlockCompression codec, byte[] in, int length, int rawLength) {
    int end = MARGIN + rawLength;
    Arrays.fill(out, 0, MARGIN, FILL);
    Arrays.fill(out, end, end + MARGIN, FILL);
    try {
      codec.decompress(in, 0, length, out, MARGIN, rawLength);
    } catch (CorruptFormatException e) {
      assertThat(e).hasMessageContaining("codec=" + codec.id().label());
    }
    for (int i = 0; i < MARGIN; i++) {
      assertThat(out[i]).as("byte before the output").isEqualTo(FILL);
      assertThat(out[end + i]).as("byte behind the output").isEqualTo(FILL);
    }
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void goodBlocksWithWrongLengthsAreRefused(CodecId id, SplittableRandom random) {
    BlockCompression codec = BlockCompression.of(id);
    byte[] raw = TestBytes.compressible(random, 20_000, 0.7);
    byte[] stored = new byte[codec.maxCompressedLength(raw.length)];
    int length = codec.compress(raw, 0, raw.length, stored, 0);
    for (int round = 0; round < ROUNDS / 20; round++) {
      int shorter = random.nextInt(length + 1);
      int rawLength = random.nextInt(out.length - 2 * MARGIN);
      if (shorter != length || rawLength != raw.length) {
        boolean refused = false;
        try {
          codec.decompress(stored, 0, shorter, out, MARGIN, rawLength);
        } catch (CorruptFormatException e) {
          refused = true;
        }
        boolean whole = id == CodecId.NONE && shorter == rawLength;
        assertThat(refused)
            .as("stored=%d of %d raw=%d of %d", shorter, length, rawLength, raw.length)
            .isEqualTo(!whole);
      }
    }
  }
}

package dev.sailfish.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Needs a machine that can load the library; the product runs without it, the builders do not. */
class NativeLz4Test extends BlockCompressionContract {
  NativeLz4Test() {
    super(CodecId.LZ4, new NativeLz4());
  }

  @Test
  void isWhatLz4Means() {
    assertThat(BlockCompression.lz4Library()).isEqualTo("native");
    assertThat(BlockCompression.of(CodecId.LZ4)).isInstanceOf(NativeLz4.class);
  }

  @Test
  void readsWhatJavaWroteAndTheOtherWayRound(SplittableRandom random)
      throws CorruptFormatException {
    for (byte[] raw : corpora(random).toList()) {
      assertThat(through(new AirliftCompression(CodecId.LZ4), codec(), raw)).isEqualTo(raw);
      assertThat(through(codec(), new AirliftCompression(CodecId.LZ4), raw)).isEqualTo(raw);
    }
  }

  private static byte[] through(BlockCompression writer, BlockCompression reader, byte[] raw)
      throws CorruptFormatException {
    byte[] stored = new byte[writer.maxCompressedLength(raw.length)];
    int length = writer.compress(raw, 0, raw.length, stored, 0);
    byte[] out = new byte[raw.length];
    reader.decompress(stored, 0, length, out, 0, raw.length);
    return out;
  }
}

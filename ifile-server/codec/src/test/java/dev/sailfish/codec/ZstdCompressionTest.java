package dev.sailfish.codec;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ZstdCompressionTest extends BlockCompressionContract {
  ZstdCompressionTest() {
    super(CodecId.ZSTD);
  }

  /** The library throws neither its own exception nor one of indexes. */
  @Test
  void aHeaderWithAnImpossibleLengthIsMalformed() {
    byte[] stored = HexFormat.of().parseHex("28b52ffde0f009253600caaee41a13a09d00b0ddec04f6dc");
    assertThatExceptionOfType(CorruptFormatException.class)
        .isThrownBy(() -> codec().decompress(stored, 0, stored.length, new byte[100], 0, 100))
        .withMessageContaining("codec=zstd");
  }
}

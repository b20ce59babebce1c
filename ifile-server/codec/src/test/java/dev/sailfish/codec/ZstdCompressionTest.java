package dev.sailfish.codec;

import dev.sailfish.format.CodecId;

class ZstdCompressionTest extends BlockCompressionContract {
  ZstdCompressionTest() {
    super(CodecId.ZSTD);
  }
}

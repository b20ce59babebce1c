package dev.sailfish.codec;

import dev.sailfish.format.CodecId;

class Lz4CompressionTest extends BlockCompressionContract {
  Lz4CompressionTest() {
    super(CodecId.LZ4);
  }
}

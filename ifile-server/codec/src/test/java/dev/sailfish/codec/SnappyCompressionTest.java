package dev.sailfish.codec;

import dev.sailfish.format.CodecId;

class SnappyCompressionTest extends BlockCompressionContract {
  SnappyCompressionTest() {
    super(CodecId.SNAPPY);
  }
}

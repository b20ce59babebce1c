package dev.sailfish.codec;

import dev.sailfish.format.CodecId;

class NoCompressionTest extends BlockCompressionContract {
  NoCompressionTest() {
    super(CodecId.NONE);
  }
}

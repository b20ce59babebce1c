package dev.sailfish.codec;

import dev.sailfish.format.CodecId;

class AirliftLz4Test extends BlockCompressionContract {
  AirliftLz4Test() {
    super(CodecId.LZ4, new AirliftCompression(CodecId.LZ4));
  }
}

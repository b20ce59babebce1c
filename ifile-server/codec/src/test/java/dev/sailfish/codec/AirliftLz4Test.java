package dev.sailfish.codec;

import dev.sailfish.format.CodecId;

class JavaLz4Test extends BlockCompressionContract {
  JavaLz4Test() {
    super(CodecId.LZ4, new JavaLz4());
  }
}

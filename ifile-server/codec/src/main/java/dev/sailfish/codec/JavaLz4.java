package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;

/** LZ4 block format, without frame, where the native library cannot be loaded. */
final class JavaLz4 extends AirliftCompression {
  JavaLz4() {
    super(CodecId.LZ4);
  }

  @Override
  Compressor newCompressor() {
    return new Lz4Compressor();
  }

  @Override
  Decompressor newDecompressor() {
    return new Lz4Decompressor();
  }
}

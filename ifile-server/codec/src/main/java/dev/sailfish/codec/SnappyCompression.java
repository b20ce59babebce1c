package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.snappy.SnappyDecompressor;

/** Snappy raw format, without frame. */
final class SnappyCompression extends AirliftCompression {
  SnappyCompression() {
    super(CodecId.SNAPPY);
  }

  @Override
  Compressor newCompressor() {
    return new SnappyCompressor();
  }

  @Override
  Decompressor newDecompressor() {
    return new SnappyDecompressor();
  }
}

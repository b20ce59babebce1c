package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.lzo.LzoCompressor;
import io.airlift.compress.lzo.LzoDecompressor;

/** LZO1X, without the container of lzop. */
final class LzoCompression extends AirliftCompression {
  LzoCompression() {
    super(CodecId.LZO);
  }

  @Override
  Compressor newCompressor() {
    return new LzoCompressor();
  }

  @Override
  Decompressor newDecompressor() {
    return new LzoDecompressor();
  }
}

package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;

/** One Zstandard frame. */
final class ZstdCompression extends AirliftCompression {
  ZstdCompression() {
    super(CodecId.ZSTD);
  }

  @Override
  Compressor newCompressor() {
    return new ZstdCompressor();
  }

  @Override
  Decompressor newDecompressor() {
    return new ZstdDecompressor();
  }
}

package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.lzo.LzoCompressor;
import io.airlift.compress.lzo.LzoDecompressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.nio.ByteBuffer;

/**
 * The codecs of aircompressor, which is pure Java: LZ4 block format without frame, one Zstandard
 * frame, Snappy raw format, LZO1X without the container of lzop. A task compresses or decompresses,
 * rarely both, so each direction is made when it is first used.
 *
 * <p>Ranges are checked before the library is called, so that whatever its decompressors throw can
 * only speak of the input. They throw more than their own exception: of illegal arguments, states
 * and indexes.
 */
final class AirliftCompression extends BlockCompression {
  private Compressor compressor;
  private Decompressor decompressor;

  AirliftCompression(CodecId id) {
    super(id);
  }

  @Override
  int bound(int rawLength) {
    return compressor().maxCompressedLength(rawLength);
  }

  @Override
  int compressArray(byte[] in, int inOffset, int inLength, byte[] out, int outOffset) {
    return compressor().compress(in, inOffset, inLength, out, outOffset, bound(inLength));
  }

  @Override
  int compressBuffer(ByteBuffer in, ByteBuffer out) {
    int start = out.position();
    compressor().compress(in, out);
    return out.position() - start;
  }

  @Override
  int decompressArray(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int rawLength)
      throws CorruptFormatException {
    try {
      return decompressor().decompress(in, inOffset, inLength, out, outOffset, rawLength);
    } catch (RuntimeException e) {
      throw malformed(inLength, rawLength, e);
    }
  }

  @Override
  int decompressBuffer(ByteBuffer in, ByteBuffer out) throws CorruptFormatException {
    int start = out.position();
    int inLength = in.remaining();
    int rawLength = out.remaining();
    try {
      decompressor().decompress(in, out);
    } catch (RuntimeException e) {
      throw malformed(inLength, rawLength, e);
    }
    return out.position() - start;
  }

  private Compressor compressor() {
    if (compressor == null) {
      compressor =
          switch (id()) {
            case LZ4 -> new Lz4Compressor();
            case ZSTD -> new ZstdCompressor();
            case SNAPPY -> new SnappyCompressor();
            case LZO -> new LzoCompressor();
            case NONE -> throw new IllegalStateException("nothing compresses: " + id());
          };
    }
    return compressor;
  }

  private Decompressor decompressor() {
    if (decompressor == null) {
      decompressor =
          switch (id()) {
            case LZ4 -> new Lz4Decompressor();
            case ZSTD -> new ZstdDecompressor();
            case SNAPPY -> new SnappyDecompressor();
            case LZO -> new LzoDecompressor();
            case NONE -> throw new IllegalStateException("nothing decompresses: " + id());
          };
    }
    return decompressor;
  }
}

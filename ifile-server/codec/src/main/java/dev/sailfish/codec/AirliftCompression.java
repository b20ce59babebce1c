package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import java.nio.ByteBuffer;

/**
 * A codec of aircompressor, which is pure Java. A task compresses or decompresses, rarely both, so
 * each direction is made when it is first used.
 *
 * <p>Ranges are checked before the library is called, so that whatever its decompressors throw can
 * only speak of the input. They throw more than their own exception: of illegal arguments, states
 * and indexes.
 */
abstract class AirliftCompression extends BlockCompression {
  private Compressor compressor;
  private Decompressor decompressor;

  AirliftCompression(CodecId id) {
    super(id);
  }

  abstract Compressor newCompressor();

  abstract Decompressor newDecompressor();

  @Override
  final int bound(int rawLength) {
    return compressor().maxCompressedLength(rawLength);
  }

  @Override
  final int compressArray(byte[] in, int inOffset, int inLength, byte[] out, int outOffset) {
    Compressor codec = compressor();
    int bound = codec.maxCompressedLength(inLength);
    return codec.compress(in, inOffset, inLength, out, outOffset, bound);
  }

  @Override
  final int compressBuffer(ByteBuffer in, ByteBuffer out) {
    int start = out.position();
    compressor().compress(in, out);
    return out.position() - start;
  }

  @Override
  final int decompressArray(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int rawLength)
      throws CorruptFormatException {
    try {
      return decompressor().decompress(in, inOffset, inLength, out, outOffset, rawLength);
    } catch (RuntimeException e) {
      throw malformed(inLength, rawLength, e);
    }
  }

  @Override
  final int decompressBuffer(ByteBuffer in, ByteBuffer out) throws CorruptFormatException {
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
      compressor = newCompressor();
    }
    return compressor;
  }

  private Decompressor decompressor() {
    if (decompressor == null) {
      decompressor = newDecompressor();
    }
    return decompressor;
  }
}

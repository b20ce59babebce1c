package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * LZ4 block format, without frame, by the native library: less than half the CPU time of Java's,
 * and nothing to compile in a JVM that lives for seconds.
 */
final class NativeLz4 extends BlockCompression {
  /** The library, or null where it cannot be loaded. */
  private static final LZ4Factory LIBRARY = load();

  /** The longest input of the format: LZ4_MAX_INPUT_SIZE. */
  private static final int MOST = 0x7e000000;

  private final LZ4Compressor compressor = LIBRARY.fastCompressor();
  private final LZ4SafeDecompressor decompressor = LIBRARY.safeDecompressor();

  NativeLz4() {
    super(CodecId.LZ4);
  }

  /** Whether this machine can load it; loads it. */
  static boolean isThere() {
    return LIBRARY != null;
  }

  private static LZ4Factory load() {
    try {
      return LZ4Factory.nativeInstance();
    } catch (AssertionError | LinkageError e) {
      // Another processor, another libc or a directory for temporary files from which nothing may
      // be executed. Java's LZ4 gives the same; BlockCompression.lz4Library tells which it is.
      return null;
    }
  }

  @Override
  int bound(int rawLength) {
    return rawLength < 0 || rawLength > MOST ? -1 : compressor.maxCompressedLength(rawLength);
  }

  @Override
  int compressArray(byte[] in, int inOffset, int inLength, byte[] out, int outOffset) {
    return compressor.compress(
        in, inOffset, inLength, out, outOffset, compressor.maxCompressedLength(inLength));
  }

  @Override
  int compressBuffer(ByteBuffer in, ByteBuffer out) {
    return compressor.compress(
        in, in.position(), in.remaining(), out, out.position(), out.remaining());
  }

  @Override
  int decompressArray(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int rawLength)
      throws CorruptFormatException {
    try {
      return decompressor.decompress(in, inOffset, inLength, out, outOffset, rawLength);
    } catch (LZ4Exception e) {
      throw malformed(inLength, rawLength, e);
    }
  }

  @Override
  int decompressBuffer(ByteBuffer in, ByteBuffer out) throws CorruptFormatException {
    try {
      return decompressor.decompress(
          in, in.position(), in.remaining(), out, out.position(), out.remaining());
    } catch (LZ4Exception e) {
      throw malformed(in.remaining(), out.remaining(), e);
    }
  }
}

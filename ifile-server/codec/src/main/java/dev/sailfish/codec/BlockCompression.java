package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Compresses and decompresses the records of one block at a time. Lengths and offsets are bytes.
 * The caller owns all arrays and buffers; nothing keeps a reference to them after a call. Working
 * memory is allocated at the first call in each direction, once.
 *
 * <p>Nothing compresses to nothing: no input gives no output with every codec.
 *
 * <p>Byte buffers may be direct, or heap buffers with an accessible array; all positions are
 * absolute, and a buffer's own position and limit are neither used nor changed.
 *
 * <p>Not thread-safe: one instance per thread.
 */
public abstract class BlockCompression {
  private final CodecId id;

  BlockCompression(CodecId id) {
    this.id = id;
  }

  /** A new instance for {@code id}. Only the classes of that codec are loaded. */
  public static BlockCompression of(CodecId id) {
    return switch (id) {
      case NONE -> new NoCompression();
      case LZ4 -> NativeLz4.isThere() ? new NativeLz4() : new AirliftCompression(id);
      case ZSTD, SNAPPY, LZO -> new AirliftCompression(id);
    };
  }

  /** How LZ4 is done in this process, for logs: {@code native} or {@code java}. */
  public static String lz4Library() {
    return NativeLz4.isThere() ? "native" : "java";
  }

  /** Which codec this is. */
  public final CodecId id() {
    return id;
  }

  /**
   * The space that {@link #compress} must find in the output for {@code rawLength} bytes of input,
   * and the most that it returns.
   *
   * @throws IllegalArgumentException when that would be more than an array can hold
   */
  public final int maxCompressedLength(int rawLength) {
    if (rawLength == 0) {
      return 0;
    }
    int length = bound(rawLength);
    if (rawLength < 0 || length < rawLength) {
      throw new IllegalArgumentException(
          "block is too long to compress: codec=" + id.label() + " rawLength=" + rawLength);
    }
    return length;
  }

  /**
   * Compresses {@code inLength} bytes.
   *
   * @param out must have room for {@link #maxCompressedLength} bytes at {@code outOffset}
   * @return how many bytes were written; bytes behind them up to the bound may have been
   *     overwritten
   * @throws IndexOutOfBoundsException when a range is not inside its array
   */
  public final int compress(byte[] in, int inOffset, int inLength, byte[] out, int outOffset) {
    Objects.checkFromIndexSize(inOffset, inLength, in.length);
    int bound = maxCompressedLength(inLength);
    Objects.checkFromIndexSize(outOffset, bound, out.length);
    return inLength == 0 ? 0 : compressArray(in, inOffset, inLength, out, outOffset);
  }

  /**
   * Compresses {@code inLength} bytes at the absolute position {@code inOffset}.
   *
   * @param out must have room for {@link #maxCompressedLength} bytes at the absolute position
   *     {@code outOffset}
   * @return how many bytes were written; bytes behind them up to the bound may have been
   *     overwritten
   * @throws IndexOutOfBoundsException when a range is not inside its buffer's capacity
   */
  public final int compress(
      ByteBuffer in, int inOffset, int inLength, ByteBuffer out, int outOffset) {
    Objects.checkFromIndexSize(inOffset, inLength, in.capacity());
    int bound = maxCompressedLength(inLength);
    Objects.checkFromIndexSize(outOffset, bound, out.capacity());
    return inLength == 0
        ? 0
        : compressBuffer(range(in, inOffset, inLength), range(out, outOffset, bound));
  }

  /**
   * Decompresses {@code inLength} bytes to exactly {@code rawLength} bytes. Nothing outside of
   * these is written; after an error their content is undefined.
   *
   * @throws CorruptFormatException when the input is malformed or has another raw length
   * @throws IndexOutOfBoundsException when a range is not inside its array
   */
  public final void decompress(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int rawLength)
      throws CorruptFormatException {
    Objects.checkFromIndexSize(inOffset, inLength, in.length);
    Objects.checkFromIndexSize(outOffset, rawLength, out.length);
    if (checkEmpty(inLength, rawLength)) {
      return;
    }
    int length = decompressArray(in, inOffset, inLength, out, outOffset, rawLength);
    checkLength(inLength, rawLength, length);
  }

  /**
   * Decompresses {@code inLength} bytes at the absolute position {@code inOffset} to exactly {@code
   * rawLength} bytes. Nothing outside of these is written; after an error their content is
   * undefined.
   *
   * @throws CorruptFormatException when the input is malformed or has another raw length
   * @throws IndexOutOfBoundsException when a range is not inside its buffer's capacity
   */
  public final void decompress(
      ByteBuffer in, int inOffset, int inLength, ByteBuffer out, int outOffset, int rawLength)
      throws CorruptFormatException {
    Objects.checkFromIndexSize(inOffset, inLength, in.capacity());
    Objects.checkFromIndexSize(outOffset, rawLength, out.capacity());
    if (checkEmpty(inLength, rawLength)) {
      return;
    }
    int length = decompressBuffer(range(in, inOffset, inLength), range(out, outOffset, rawLength));
    checkLength(inLength, rawLength, length);
  }

  abstract int bound(int rawLength);

  abstract int compressArray(byte[] in, int inOffset, int inLength, byte[] out, int outOffset);

  /** Compresses what is between position and limit of {@code in}; returns the stored length. */
  abstract int compressBuffer(ByteBuffer in, ByteBuffer out);

  /** Returns how many bytes came out. */
  abstract int decompressArray(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int rawLength)
      throws CorruptFormatException;

  /** Decompresses what is between position and limit; returns how many bytes came out. */
  abstract int decompressBuffer(ByteBuffer in, ByteBuffer out) throws CorruptFormatException;

  final CorruptFormatException malformed(int inLength, int rawLength, RuntimeException cause) {
    CorruptFormatException corrupt =
        corrupt("is malformed", inLength, rawLength, " cause=" + cause);
    corrupt.initCause(cause);
    return corrupt;
  }

  private CorruptFormatException corrupt(String what, int inLength, int rawLength, String more) {
    return new CorruptFormatException(
        "compressed block %s: codec=%s storedLength=%s rawLength=%s%s"
            .formatted(what, id.label(), inLength, rawLength, more));
  }

  private boolean checkEmpty(int inLength, int rawLength) throws CorruptFormatException {
    if ((inLength == 0) != (rawLength == 0)) {
      throw corrupt("is malformed", inLength, rawLength, "");
    }
    return inLength == 0;
  }

  private void checkLength(int inLength, int rawLength, int length) throws CorruptFormatException {
    if (length != rawLength) {
      throw corrupt("has another length", inLength, rawLength, " decompressed=" + length);
    }
  }

  private static ByteBuffer range(ByteBuffer buffer, int offset, int length) {
    return buffer.duplicate().limit(offset + length).position(offset);
  }
}

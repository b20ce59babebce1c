package dev.sailfish.format;

import java.nio.ByteBuffer;

/**
 * The layout of a record inside the uncompressed bytes of a block.
 *
 * <pre>
 *   appended block (written by an iappender)
 *   +-------------------+-----------------+-----------+-------------+
 *   | value length      | key length      | key       | value       |
 *   | varint 1..5       | varint 1..5     | ...       | ...         |
 *   +-------------------+-----------------+-----------+-------------+
 *
 *   sorted block (written by the chunksorter; block flag TAGGED)
 *   +------------+-------------------+-----------------+-----------+-------------+
 *   | source     | value length      | key length      | key       | value       |
 *   | varint 1..5| varint 1..5       | varint 1..5     | ...       | ...         |
 *   +------------+-------------------+-----------------+-----------+-------------+
 * </pre>
 *
 * <p>{@code source} is the ordinal of the appended block that the record came in, in the chunk's
 * source table ({@code ChunkTail}). In an I-file with {@link Ordering#NORMALIZED} the key is in
 * normalized form ({@code KeyEncoding}). There is no padding and no end marker: the block's header
 * says how many records and how many bytes there are, and both must come out exactly.
 */
public final class RecordDescriptor {
  /** The largest header of a record in an appended block, in bytes. */
  public static final int MAX_HEADER_LENGTH = 2 * Varint.MAX_LENGTH;

  /** The largest header of a record in a sorted block, in bytes. */
  public static final int MAX_TAGGED_HEADER_LENGTH = 3 * Varint.MAX_LENGTH;

  private RecordDescriptor() {}

  /** Bytes before the key of a record in an appended block. */
  public static int headerLength(int keyLength, int valueLength) {
    return Varint.length(valueLength) + Varint.length(keyLength);
  }

  /**
   * Writes the header of a record of an appended block at {@code offset}.
   *
   * @return the offset of the key
   */
  public static int putHeader(byte[] buffer, int offset, int keyLength, int valueLength) {
    return Varint.put(buffer, Varint.put(buffer, offset, valueLength), keyLength);
  }

  /**
   * Length with its header of the record of an appended block at the absolute position {@code
   * offset}, which must have been walked over before: nothing is checked.
   */
  public static int length(ByteBuffer buffer, int offset) {
    int valueLength = buffer.get(offset);
    int keyLength = buffer.get(offset + 1);
    if ((valueLength | keyLength) >= 0) {
      return 2 + valueLength + keyLength;
    }
    return longLength(buffer, offset);
  }

  /**
   * Where the record begins whose tag is at {@code offset}, of a sorted block, which was walked
   * over or written before: nothing is checked.
   */
  public static int afterTag(ByteBuffer buffer, int offset, int limit) {
    return offset + Varint.length(Varint.get(buffer, offset, limit));
  }

  private static int longLength(ByteBuffer buffer, int offset) {
    int valueLength = Varint.get(buffer, offset, buffer.capacity());
    int position = offset + Varint.length(valueLength);
    int keyLength = Varint.get(buffer, position, buffer.capacity());
    return headerLength(keyLength, valueLength) + keyLength + valueLength;
  }
}

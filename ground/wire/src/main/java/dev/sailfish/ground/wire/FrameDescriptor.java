package dev.sailfish.ground.wire;

import java.nio.ByteBuffer;

/**
 * The layout of a frame: every message in both directions.
 *
 * <pre>
 *   0      2     3     4      6           8               16          20
 *   +------+-----+-----+------+-----------+---------------+-----------+
 *   | "SF" | ver |flags| op   | header len| correlation id| payload len
 *   +------+-----+-----+------+-----------+---------------+-----------+
 *   20                        20 + header length
 *   +-------------------------+----------------------------------------+
 *   | header (Protocol Buffers| payload (raw bytes)                    |
 *   +-------------------------+----------------------------------------+
 * </pre>
 *
 * <p>Big endian. {@code header len} is unsigned 16 bits. A header that does not fit is sent as the
 * payload: then {@link #FLAG_HEADER_IN_PAYLOAD} is set and header length is 0. Replies carry the
 * request's operation and correlation id and {@link #FLAG_RESPONSE}; with {@link #FLAG_ERROR} the
 * header is an ErrorResponse. Replies may come in any order.
 */
public final class FrameDescriptor {
  /** Length of what stands before the header, in bytes. */
  public static final int LENGTH = 20;

  /** The frame answers a request. */
  public static final int FLAG_RESPONSE = 1;

  /** The header is an ErrorResponse. */
  public static final int FLAG_ERROR = 2;

  /** The header was too long for its field and is the payload. */
  public static final int FLAG_HEADER_IN_PAYLOAD = 4;

  /** The longest header in its own field, in bytes. */
  public static final int MAX_HEADER_LENGTH = 0xffff;

  /** The longest payload: one block with its header, in bytes. */
  public static final int MAX_PAYLOAD_LENGTH = (1 << 30) + 4096;

  /** Newest version of the protocol that this code speaks. */
  public static final int VERSION = 2;

  private static final short MAGIC = 0x5346;

  /** How the first bytes of a TLS client begin. */
  private static final int TLS_HANDSHAKE = 0x16;

  private FrameDescriptor() {}

  /**
   * Writes the fixed part of a frame at the buffer's position and advances it.
   *
   * @param flags of the FLAG constants
   * @param headerLength length of the header, at most {@link #MAX_HEADER_LENGTH}
   * @param payloadLength length of the payload, at most {@link #MAX_PAYLOAD_LENGTH}
   */
  public static void write(
      ByteBuffer buffer,
      Operation<?, ?> operation,
      int flags,
      long correlation,
      int headerLength,
      int payloadLength) {
    buffer.putShort(MAGIC);
    buffer.put((byte) VERSION);
    buffer.put((byte) flags);
    buffer.putShort((short) operation.code());
    buffer.putShort((short) headerLength);
    buffer.putLong(correlation);
    buffer.putInt(payloadLength);
  }

  /**
   * Checks the fixed part of a frame at the absolute position {@code offset}.
   *
   * @throws ProtocolException when these bytes begin no frame of a version spoken here
   */
  public static void check(ByteBuffer buffer, int offset) throws ProtocolException {
    short magic = buffer.getShort(offset);
    if (magic >> Byte.SIZE == TLS_HANDSHAKE) {
      ProtocolException.raise(
          "the peer speaks TLS, and this port does not: set tls=required here too, or"
              + " sailfish.tls=false there");
    }
    if (magic != MAGIC) {
      ProtocolException.raise(
          ("not a Sailfish frame: magic=%s expected=%s; is the port right, and does the peer"
                  + " speak TLS or another protocol?")
              .formatted(Integer.toHexString(magic & 0xffff), Integer.toHexString(MAGIC)));
    }
    int version = buffer.get(offset + 2);
    if (version != VERSION) {
      ProtocolException.raise(
          ("frame has protocol version=%s, this side speaks version=%s; use the same release of"
                  + " Sailfish on both sides")
              .formatted(version, VERSION));
    }
    int payloadLength = payloadLength(buffer, offset);
    if (payloadLength < 0 || payloadLength > MAX_PAYLOAD_LENGTH) {
      ProtocolException.raise(
          "frame is too long: payload=" + payloadLength + " limit=" + MAX_PAYLOAD_LENGTH);
    }
  }

  /**
   * Whether a frame of any version begins at {@code offset}; the correlation id then stands where
   * this version has it, so that even a peer of another version can be answered.
   */
  public static boolean begins(ByteBuffer buffer, int offset) {
    return buffer.getShort(offset) == MAGIC;
  }

  /** Protocol version of the frame at {@code offset}. */
  public static int version(ByteBuffer buffer, int offset) {
    return buffer.get(offset + 2);
  }

  /** Flags of the frame at {@code offset}. */
  public static int flags(ByteBuffer buffer, int offset) {
    return buffer.get(offset + 3);
  }

  /** Code of the operation of the frame at {@code offset}. */
  public static int operationCode(ByteBuffer buffer, int offset) {
    return buffer.getShort(offset + 4);
  }

  /** Length of the header of the frame at {@code offset}. */
  public static int headerLength(ByteBuffer buffer, int offset) {
    return buffer.getShort(offset + 6) & 0xffff;
  }

  /** Correlation id of the frame at {@code offset}. */
  public static long correlation(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset + 8);
  }

  /** Length of the payload of the frame at {@code offset}. */
  public static int payloadLength(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 16);
  }
}

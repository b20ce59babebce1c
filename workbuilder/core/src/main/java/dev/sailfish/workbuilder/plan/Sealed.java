package dev.sailfish.workbuilder.plan;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CorruptFormatException;
import java.nio.ByteBuffer;

/** A message and its checksum: the CRC32C follows in four bytes, big endian. */
final class Sealed {
  private Sealed() {}

  /** The bytes of a message and its checksum. */
  static byte[] seal(MessageLite message) {
    byte[] bytes = message.toByteArray();
    return ByteBuffer.allocate(bytes.length + Integer.BYTES)
        .put(bytes)
        .putInt(Checksum.of(bytes, 0, bytes.length))
        .array();
  }

  /**
   * The bytes of the message.
   *
   * @param what names it in errors
   * @throws CorruptFormatException when the checksum is not theirs
   */
  static ByteString open(String what, byte[] bytes) throws CorruptFormatException {
    int length = bytes.length - Integer.BYTES;
    if (length < 0) {
      throw new CorruptFormatException(what + " is cut off: bytes=" + bytes.length);
    }
    int checksum = ByteBuffer.wrap(bytes).getInt(length);
    int computed = Checksum.of(bytes, 0, length);
    if (checksum != computed) {
      throw new CorruptFormatException(
          "%s is damaged: bytes=%s checksum=%x computed=%x"
              .formatted(what, bytes.length, checksum, computed));
    }
    return ByteString.copyFrom(bytes, 0, length);
  }
}

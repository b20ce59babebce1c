package dev.sailfish.lineage.hadoop.marks;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.io.WritableUtils;

/**
 * Where the mark is in the header of a file:
 *
 * <pre>
 * SequenceFile  "SEQ" 6  key class  value class  compressed:1 in-blocks:1  [codec]
 *               entries:4 { name  value }  mark:16        each text: length, as a VInt, and bytes
 * Avro          "Obj" 1  { entries { name  value } } 0  mark:16
 *               numbers: zigzag, 7 bits in each byte; entries below 0: their bytes follow as one
 * </pre>
 */
final class MarkHeader {
  /** Bytes of a mark. */
  static final int MARK = 16;

  /** More bytes are needed to tell. */
  static final int MORE = -1;

  /** The file has no mark. */
  static final int NONE = -2;

  private static final byte[] SEQUENCE_FILE = {'S', 'E', 'Q', 6};
  private static final byte[] AVRO = {'O', 'b', 'j', 1};

  private final ByteBuffer bytes;

  private MarkHeader(byte[] bytes) {
    this.bytes = ByteBuffer.wrap(bytes);
  }

  /**
   * Finds it.
   *
   * @param bytes of the file, from its beginning
   * @return where the mark begins, all of which is there; MORE or NONE
   */
  static int find(byte[] bytes) {
    if (isOfAnother(bytes, 0, bytes.length)) {
      return NONE;
    }
    boolean isSequenceFile = beginsAs(bytes, 0, bytes.length, SEQUENCE_FILE);
    MarkHeader header = new MarkHeader(bytes);
    try {
      header.skip(SEQUENCE_FILE.length);
      if (isSequenceFile) {
        header.skipSequenceFile();
      } else {
        header.skipAvro();
      }
      int at = header.bytes.position();
      header.skip(MARK);
      return at;
    } catch (BufferUnderflowException e) {
      return MORE;
    } catch (IllegalArgumentException e) {
      return NONE;
    }
  }

  /** Whether a file that begins so has another format. */
  static boolean isOfAnother(byte[] bytes, int offset, int count) {
    return !beginsAs(bytes, offset, count, SEQUENCE_FILE) && !beginsAs(bytes, offset, count, AVRO);
  }

  /** As far as there are bytes. */
  private static boolean beginsAs(byte[] bytes, int offset, int count, byte[] magic) {
    int compared = Math.min(count, magic.length);
    return Arrays.equals(bytes, offset, offset + compared, magic, 0, compared);
  }

  private void skip(long count) {
    if (count < 0) {
      throw new IllegalArgumentException("negative length: " + count);
    }
    if (count > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    bytes.position(bytes.position() + (int) count);
  }

  private void skipSequenceFile() {
    skipText();
    skipText();
    boolean isCompressed = bytes.get() != 0;
    bytes.get();
    if (isCompressed) {
      skipText();
    }
    for (int left = bytes.getInt(); left > 0; left--) {
      skipText();
      skipText();
    }
  }

  private void skipText() {
    byte first = bytes.get();
    int more = WritableUtils.decodeVIntSize(first) - 1;
    if (more == 0) {
      skip(first);
      return;
    }
    if (WritableUtils.isNegativeVInt(first)) {
      throw new IllegalArgumentException("negative length");
    }
    long length = 0;
    for (int i = 0; i < more; i++) {
      length = length << Byte.SIZE | bytes.get() & 0xff;
    }
    skip(length);
  }

  private void skipAvro() {
    for (long count = number(); count != 0; count = number()) {
      if (count < 0) {
        skip(number());
      } else {
        for (long left = count; left > 0; left--) {
          skip(number());
          skip(number());
        }
      }
    }
  }

  private long number() {
    long raw = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = bytes.get();
      raw |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return raw >>> 1 ^ -(raw & 1);
      }
    }
    throw new IllegalArgumentException("a number of more than ten bytes");
  }
}

package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.table.InodeTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/**
 * What is below a file or directory of the tree, in the under store, as it was at one moment. In
 * the table of files it is
 *
 * <pre>
 *   flags:1   length:8   modified:8   CRC32C:4   tag, UTF-8, to the end
 *
 *   flags     1 a directory   2 has a CRC32C   4 to be replaced
 * </pre>
 *
 * @param length in bytes
 * @param modifiedMs by the clock below, in milliseconds since 1970
 * @param tag what tells versions of the content apart; may be empty
 * @param crc32c of all bytes, of a copy that a worker has made
 * @param isReplaced what is there is something older, which a copy of the file is to replace
 */
public record Below(
    boolean isDirectory,
    long length,
    long modifiedMs,
    String tag,
    OptionalInt crc32c,
    boolean isReplaced) {
  /** A directory. */
  public static final Below DIRECTORY = new Below(true, 0, 0, "", OptionalInt.empty(), false);

  private static final int IS_DIRECTORY = 1;
  private static final int HAS_CHECKSUM = 2;
  private static final int IS_REPLACED = 4;
  private static final int TAG_AT = 21;
  private static final int LONGEST_TAG = InodeTable.LONGEST_NOTE - TAG_AT; // in bytes
  private static final int MOST_BYTES_PER_CHAR = 3; // of UTF-8

  /** Cuts a tag for which there is no room in the table. */
  public Below {
    boolean isShort = tag.length() <= LONGEST_TAG / MOST_BYTES_PER_CHAR;
    if (!isShort && tag.getBytes(StandardCharsets.UTF_8).length > LONGEST_TAG) {
      tag = tag.substring(0, LONGEST_TAG / MOST_BYTES_PER_CHAR);
    }
  }

  /** Whether the content of the file is there. */
  public boolean isCopy() {
    return !isDirectory && !isReplaced;
  }

  /** The same, as something older than the file. */
  Below replaced() {
    return new Below(isDirectory, length, modifiedMs, tag, crc32c, true);
  }

  /**
   * Whether another one is the same content: the same length, and the same tag; where one has no
   * tag, the same time.
   */
  public boolean isSameContent(Below other) {
    if (isDirectory || other.isDirectory) {
      return isDirectory == other.isDirectory;
    }
    boolean isTagged = !tag.isEmpty() && !other.tag.isEmpty();
    return length == other.length
        && (isTagged ? tag.equals(other.tag) : modifiedMs == other.modifiedMs);
  }

  byte[] encode() {
    byte[] text = tag.getBytes(StandardCharsets.UTF_8);
    int flags =
        (isDirectory ? IS_DIRECTORY : 0)
            | (crc32c.isPresent() ? HAS_CHECKSUM : 0)
            | (isReplaced ? IS_REPLACED : 0);
    return ByteBuffer.allocate(TAG_AT + text.length)
        .put((byte) flags)
        .putLong(length)
        .putLong(modifiedMs)
        .putInt(crc32c.orElse(0))
        .put(text)
        .array();
  }

  /** What {@link #encode} gave; null of null. */
  static Below decode(byte[] note) {
    if (note == null) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(note);
    int flags = in.get();
    long length = in.getLong();
    long modifiedMs = in.getLong();
    int sum = in.getInt();
    return new Below(
        (flags & IS_DIRECTORY) != 0,
        length,
        modifiedMs,
        new String(note, TAG_AT, note.length - TAG_AT, StandardCharsets.UTF_8),
        (flags & HAS_CHECKSUM) != 0 ? OptionalInt.of(sum) : OptionalInt.empty(),
        (flags & IS_REPLACED) != 0);
  }
}

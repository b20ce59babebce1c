package dev.sailfish.lineage.master.dependency;

import java.io.DataOutput;

/**
 * A text of a lineage record, which has to be one that {@link DataOutput#writeUTF} writes into a
 * snapshot. Masters refuse longer ones before the journal has them; what it has all the same is
 * cut, the same on all masters.
 */
final class RecordText {
  private static final int MOST_BYTES = 0xffff;
  private static final int MOST_BYTES_PER_CHAR = 3;
  private static final int LAST_OF_ONE_BYTE = 0x7f;
  private static final int LAST_OF_TWO_BYTES = 0x7ff;

  private RecordText() {}

  /** The longest beginning of a text that a snapshot can have: all of nearly every one. */
  static String fitted(String text) {
    if (text.length() <= MOST_BYTES / MOST_BYTES_PER_CHAR) {
      return text;
    }
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      bytes += bytes(text.charAt(i));
      if (bytes > MOST_BYTES) {
        return text.substring(0, i);
      }
    }
    return text;
  }

  private static int bytes(char letter) {
    if (letter > LAST_OF_TWO_BYTES) {
      return MOST_BYTES_PER_CHAR;
    }
    return letter == 0 || letter > LAST_OF_ONE_BYTE ? 2 : 1;
  }
}

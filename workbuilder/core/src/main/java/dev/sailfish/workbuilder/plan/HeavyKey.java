package dev.sailfish.workbuilder.plan;

import java.util.Objects;

/**
 * A key, or group of keys, with more bytes than the target: no border can be inside it.
 *
 * @param partition that it is in
 * @param key in printable form; with a grouping, the first key of the group that the index names
 * @param rawBytes before compression that it has by the index, expected; there may be more
 */
public record HeavyKey(int partition, String key, long rawBytes) {
  private static final int MAX_BYTES = 64;

  /** Checks that there is a key. */
  public HeavyKey {
    Objects.requireNonNull(key, "key");
  }

  /** A key as ASCII in quotes, other bytes as {@code \xNN}; of long ones the first 64 bytes. */
  static String printable(byte[] key) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < Math.min(key.length, MAX_BYTES); i++) {
      char letter = (char) (key[i] & 0xff);
      if (letter == '"' || letter == '\\') {
        text.append('\\').append(letter);
      } else if (letter >= ' ' && letter < 0x7f) {
        text.append(letter);
      } else {
        text.append("\\x").append(Character.forDigit(letter >> 4, 16));
        text.append(Character.forDigit(letter & 15, 16));
      }
    }
    text.append('"');
    return key.length <= MAX_BYTES ? text.toString() : text + "... of " + key.length + " bytes";
  }
}

package dev.sailfish.format.order;

/** Keys as text for people: in plans and errors. */
public final class PrintableKey {
  private static final int MAX_BYTES = 64;

  private PrintableKey() {}

  /** A key as ASCII in quotes, other bytes as {@code \xNN}; of long ones the first 64 bytes. */
  public static String of(byte[] key) {
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

package dev.sailfish.web.job;

import java.io.ByteArrayOutputStream;

/** Keys that were printed, so that they can be compared as bytes. */
final class PrintedKey {
  private static final char QUOTE = '"';
  private static final char ESCAPE = '\\';
  private static final int HEX = 16;

  private PrintedKey() {}

  /**
   * The bytes of a key in printable form, as {@link dev.sailfish.format.order.PrintableKey} makes
   * it; of a long one only the first are printed. Those of the text itself where it is none.
   */
  static byte[] bytes(String printed) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = printed.isEmpty() || printed.charAt(0) != QUOTE ? 0 : 1;
    while (at < printed.length() && (printed.charAt(at) != QUOTE || at == 0)) {
      char letter = printed.charAt(at);
      if (letter == ESCAPE && at + 3 < printed.length() && printed.charAt(at + 1) == 'x') {
        int high = Character.digit(printed.charAt(at + 2), HEX);
        int low = Character.digit(printed.charAt(at + 3), HEX);
        bytes.write(high * HEX + low);
        at += 4;
      } else if (letter == ESCAPE && at + 1 < printed.length()) {
        bytes.write(printed.charAt(at + 1));
        at += 2;
      } else {
        bytes.write(letter);
        at++;
      }
    }
    return bytes.toByteArray();
  }
}

package dev.sailfish.cli.inspect;

import dev.sailfish.localcluster.CommandException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Keys and values as text for a terminal, and keys from it. */
public final class RecordText {
  private static final String HEX_PREFIX = "0x";
  private static final HexFormat HEX = HexFormat.of();
  private static final int FIRST_PRINTABLE = 0x20;
  private static final int LAST_PRINTABLE = 0x7e;

  private RecordText() {}

  /**
   * A key that a user wrote: {@code 0x} and hex digits, or any other text for its UTF-8 bytes.
   *
   * @throws CommandException when the digits are no bytes
   */
  public static byte[] parseKey(String text) {
    if (!text.startsWith(HEX_PREFIX)) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    try {
      return HEX.parseHex(text, HEX_PREFIX.length(), text.length());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "The key "
              + text
              + " is not hexadecimal: write two digits for each byte behind 0x, as in 0x00ff.",
          e);
    }
  }

  /**
   * Appends bytes: ASCII as it is, tab, line ends and backslash as {@code \t \n \r \\}, everything
   * else as {@code \xHH}. Different bytes give different text, on one line and without a tab.
   */
  public static void escape(StringBuilder line, byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      int value = bytes[i] & 0xff;
      switch (value) {
        case '\t' -> line.append("\\t");
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\\' -> line.append("\\\\");
        default -> {
          if (value >= FIRST_PRINTABLE && value <= LAST_PRINTABLE) {
            line.append((char) value);
          } else {
            HEX.toHexDigits(line.append("\\x"), (byte) value);
          }
        }
      }
    }
  }

  /** Appends bytes as hexadecimal digits. */
  public static void hex(StringBuilder line, byte[] bytes, int offset, int length) {
    HEX.formatHex(line, bytes, offset, offset + length);
  }

  /** All bytes as {@link #parseKey} takes them. */
  static String hex(byte[] bytes) {
    return HEX_PREFIX + HEX.formatHex(bytes);
  }
}

package dev.sailfish.hadoop.am.report;

import java.nio.charset.StandardCharsets;

/**
 * Writes one JSON text from its beginning to its end. Commas are put where they belong; that names
 * and brackets fit together is the caller's business. For one thread.
 */
final class JsonText {
  private static final String BEFORE_NO_COMMA = "{[:";

  private final StringBuilder text = new StringBuilder(1024);

  JsonText beginObject() {
    return begin('{');
  }

  JsonText endObject() {
    text.append('}');
    return this;
  }

  JsonText beginArray() {
    return begin('[');
  }

  JsonText endArray() {
    text.append(']');
    return this;
  }

  /** The name of the value that comes next. */
  JsonText name(String name) {
    separate();
    quote(name);
    text.append(':');
    return this;
  }

  JsonText value(long value) {
    separate();
    text.append(value);
    return this;
  }

  /** A text, or null. */
  JsonText value(String value) {
    separate();
    if (value == null) {
      text.append("null");
    } else {
      quote(value);
    }
    return this;
  }

  /** Null. */
  JsonText none() {
    return value(null);
  }

  /** A name with a number. */
  JsonText field(String name, long value) {
    return name(name).value(value);
  }

  /** A name with a text, or with null. */
  JsonText field(String name, String value) {
    return name(name).value(value);
  }

  /** How many characters there are. */
  int length() {
    return text.length();
  }

  /** In UTF-8. */
  byte[] toBytes() {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private JsonText begin(char bracket) {
    separate();
    text.append(bracket);
    return this;
  }

  private void separate() {
    int last = text.length() - 1;
    if (last >= 0 && BEFORE_NO_COMMA.indexOf(text.charAt(last)) < 0) {
      text.append(',');
    }
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char letter = value.charAt(i);
      if (letter == '"' || letter == '\\') {
        text.append('\\').append(letter);
      } else if (letter < ' ') {
        text.append(letter < 16 ? "\\u000" : "\\u00").append(Integer.toHexString(letter));
      } else {
        text.append(letter);
      }
    }
    text.append('"');
  }
}

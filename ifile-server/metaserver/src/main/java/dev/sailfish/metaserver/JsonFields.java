package dev.sailfish.metaserver;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads the text fields of one object inside a JSON answer, without a library: {@code {"app":
 * {"id": "a", "nested": {...}}}} gives {@code id=a} for {@code app}. Everything else in it is
 * skipped but must be JSON as far as strings and brackets go. Nesting is limited.
 */
final class JsonFields {
  private static final int MAX_DEPTH = 64;
  private static final int HEX_DIGITS = 4;

  private final String text;
  private int at;
  private String name = "";

  private JsonFields(String text) {
    this.text = text;
  }

  /**
   * @param object name of a field of the outermost object
   * @return its string fields; empty when the outermost object has no such object
   * @throws IOException when the text is no JSON object
   */
  static Map<String, String> of(String text, String object) throws IOException {
    JsonFields json = new JsonFields(text);
    Map<String, String> fields = new LinkedHashMap<>();
    json.expect('{');
    while (json.nextField()) {
      boolean wanted = json.name.equals(object) && json.peek() == '{';
      if (wanted) {
        json.textFields(fields);
      } else {
        json.skipValue(1);
      }
    }
    return fields;
  }

  private void textFields(Map<String, String> fields) throws IOException {
    expect('{');
    while (nextField()) {
      String field = name;
      if (peek() == '"') {
        fields.put(field, string());
      } else {
        skipValue(2);
      }
    }
  }

  /** Goes to the value of the next field and returns true, or past the end of the object. */
  private boolean nextField() throws IOException {
    char c = peek();
    if (c == '}') {
      at++;
      return false;
    }
    if (c == ',') {
      at++;
    }
    name = string();
    expect(':');
    return true;
  }

  private void skipValue(int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw broken("nesting is deeper than " + MAX_DEPTH);
    }
    char c = peek();
    if (c == '"') {
      string();
    } else if (c == '{') {
      at++;
      while (nextField()) {
        skipValue(depth + 1);
      }
    } else if (c == '[') {
      skipArray(depth);
    } else {
      skipPlain();
    }
  }

  private void skipArray(int depth) throws IOException {
    at++;
    while (peek() != ']') {
      skipValue(depth + 1);
      if (peek() == ',') {
        at++;
      }
    }
    at++;
  }

  /** A number, true, false or null. */
  private void skipPlain() throws IOException {
    int start = at;
    while (at < text.length()
        && (Character.isLetterOrDigit(text.charAt(at)) || "+-.".indexOf(text.charAt(at)) >= 0)) {
      at++;
    }
    if (at == start) {
      throw broken("a value was expected");
    }
  }

  private String string() throws IOException {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (true) {
      char c = take();
      if (c == '"') {
        return out.toString();
      }
      out.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() throws IOException {
    char c = take();
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> unicode();
      default -> c;
    };
  }

  private char unicode() throws IOException {
    int value = 0;
    for (int i = 0; i < HEX_DIGITS; i++) {
      int digit = Character.digit(take(), 16);
      if (digit < 0) {
        throw broken("an escape is no hexadecimal number");
      }
      value = value << 4 | digit;
    }
    return (char) value;
  }

  private void expect(char wanted) throws IOException {
    if (peek() != wanted) {
      throw broken("'" + wanted + "' was expected");
    }
    at++;
  }

  /** The next character that is no space; does not pass it. */
  private char peek() throws IOException {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      throw broken("it ends too soon");
    }
    return text.charAt(at);
  }

  private char take() throws IOException {
    if (at == text.length()) {
      throw broken("it ends too soon");
    }
    return text.charAt(at++);
  }

  private IOException broken(String why) {
    return new IOException("answer is no JSON object: " + why + ", at character " + at);
  }
}

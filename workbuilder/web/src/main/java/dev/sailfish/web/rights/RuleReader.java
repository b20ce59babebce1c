package dev.sailfish.web.rights;

/** Reads a text of rules from its beginning to its end. For one thread. */
final class RuleReader {
  private final String text;
  private int at;

  RuleReader(String text) {
    this.text = text;
  }

  /** Whether anything follows but blanks. */
  boolean more() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length();
  }

  /** Goes past a word, if it is here. */
  boolean skip(String word) {
    boolean here = text.startsWith(word, at);
    at += here ? word.length() : 0;
    return here;
  }

  /** Goes past a word, which has to be here. */
  void require(String word) {
    if (!skip(word)) {
      throw wrong("DEFAULT or RULE:[ is missing");
    }
  }

  /** What is before the next letter of this kind, and goes past that. */
  String until(char letter) {
    int end = text.indexOf(letter, at);
    if (end < 0) {
      throw wrong("'" + letter + "' is missing");
    }
    String part = text.substring(at, end);
    at = end + 1;
    return part;
  }

  /** A rule has to be at its end here. */
  void end() {
    if (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
      throw wrong("something follows that is no part of a rule");
    }
  }

  IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException(
        what + ", at letter " + (at + 1) + ": " + text.substring(Math.min(at, text.length())));
  }
}

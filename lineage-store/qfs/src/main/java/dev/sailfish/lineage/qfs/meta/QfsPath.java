package dev.sailfish.lineage.qfs.meta;

import java.nio.charset.StandardCharsets;

/**
 * A path in QFS: absolute, parts with one slash between. Its parts are lines of text on the wire,
 * so some names are refused that other file systems take. Immutable.
 *
 * @param text begins with a slash and ends with none, but for the root
 */
public record QfsPath(String text) {
  private static final char DELETE = 127;

  /** UTF-8 bytes of one name; the server's limit. */
  static final int MOST_NAME_BYTES = 256;

  /**
   * Checks.
   *
   * @throws IllegalArgumentException quoting the path and what is wrong with it
   */
  public QfsPath {
    if (!text.startsWith("/")) {
      throw refused(text, "does not begin with a slash");
    }
    if (text.length() > 1) {
      for (String part : text.substring(1).split("/", -1)) {
        check(text, part);
      }
    }
  }

  private static void check(String text, String part) {
    if (part.isEmpty()) {
      throw refused(text, "has an empty part: two slashes, or one at the end");
    }
    if (part.equals(".") || part.equals("..")) {
      throw refused(text, "has a part '" + part + "'");
    }
    if (part.charAt(0) == ' ' || part.charAt(part.length() - 1) == ' ') {
      throw refused(text, "has a name that begins or ends with a blank, which QFS cuts off");
    }
    if (part.getBytes(StandardCharsets.UTF_8).length > MOST_NAME_BYTES) {
      throw refused(text, "has a name of more than " + MOST_NAME_BYTES + " bytes");
    }
    for (int i = 0; i < part.length(); i++) {
      if (part.charAt(i) < ' ' || part.charAt(i) == DELETE) {
        throw refused(text, "has a control character, which QFS cannot carry");
      }
    }
  }

  private static IllegalArgumentException refused(String text, String why) {
    return new IllegalArgumentException("path '" + text + "' " + why);
  }

  /** Whether it is {@code /}. */
  public boolean isRoot() {
    return text.length() == 1;
  }

  /** The directory that it is in; of the root the root. */
  public QfsPath parent() {
    int slash = text.lastIndexOf('/');
    return new QfsPath(slash == 0 ? "/" : text.substring(0, slash));
  }

  /** Its last part; empty for the root. */
  public String name() {
    return text.substring(text.lastIndexOf('/') + 1);
  }

  @Override
  public String toString() {
    return text;
  }
}

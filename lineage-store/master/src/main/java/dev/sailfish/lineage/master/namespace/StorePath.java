package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Where a file is: the names from the root to it. Immutable. */
public final class StorePath {
  /** Longest name, in bytes of UTF-8. */
  public static final int LONGEST_NAME = 255;

  /** Longest path, in characters. */
  public static final int LONGEST_PATH = 8192;

  private static final int SHOWN = 80;

  private final String text;
  private final byte[][] names;

  private StorePath(String text, byte[][] names) {
    this.text = text;
    this.names = names;
  }

  /**
   * Reads a path.
   *
   * @param text begins with a slash; {@code /} is the root
   * @throws NamespaceException INVALID: it is not absolute, is too long, or has a name that is
   *     empty, too long, {@code .} or {@code ..}, or that has a NUL or half a surrogate pair
   */
  public static StorePath of(String text) throws NamespaceException {
    if (text.length() > LONGEST_PATH) {
      throw invalid(text, "is longer than " + LONGEST_PATH + " characters");
    }
    if (!text.startsWith("/")) {
      throw invalid(text, "does not begin with a slash");
    }
    List<byte[]> names = new ArrayList<>();
    for (int start = 1; start < text.length(); ) {
      int slash = text.indexOf('/', start);
      int end = slash < 0 ? text.length() : slash;
      names.add(name(text, text.substring(start, end)));
      if (slash == text.length() - 1) {
        throw invalid(text, "ends with a slash");
      }
      start = end + 1;
    }
    return new StorePath(text, names.toArray(byte[][]::new));
  }

  private static byte[] name(String path, String name) throws NamespaceException {
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw invalid(path, "has the name '" + name + "'");
    }
    if (name.indexOf('\0') >= 0) {
      throw invalid(path, "has a NUL in a name");
    }
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > LONGEST_NAME) {
      throw invalid(path, "has a name longer than " + LONGEST_NAME + " bytes");
    }
    if (!new String(bytes, StandardCharsets.UTF_8).equals(name)) {
      throw invalid(path, "has half a surrogate pair in a name");
    }
    return bytes;
  }

  private static NamespaceException invalid(String text, String what) {
    String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    return new NamespaceException(Reason.INVALID, "path " + what + ": " + shown);
  }

  /** How many names it has: 0 for the root. */
  public int depth() {
    return names.length;
  }

  /** One of its names; not to be changed. */
  byte[] name(int number) {
    return names[number];
  }

  /** Its last name, of a path that is not the root; not to be changed. */
  byte[] last() {
    return names[names.length - 1];
  }

  /** The beginning of this path with so many names, for messages. */
  String beginning(int depth) {
    int end = 0;
    for (int i = 0; i < depth; i++) {
      end = text.indexOf('/', end + 1);
      end = end < 0 ? text.length() : end;
    }
    return end == 0 ? "/" : text.substring(0, end);
  }

  /** The beginning of this path with so many names. */
  public StorePath beginningPath(int depth) {
    return new StorePath(beginning(depth), Arrays.copyOf(names, depth));
  }

  /**
   * Something in this directory.
   *
   * @throws NamespaceException as {@link #of}
   */
  public StorePath child(String name) throws NamespaceException {
    return of((depth() == 0 ? "/" : text + "/") + name);
  }

  @Override
  public String toString() {
    return text;
  }
}

package dev.sailfish.lineage.understore;

import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import java.nio.charset.StandardCharsets;

/**
 * Where a file is below a mount's root: names with slashes between. It cannot lead out of the
 * mount. Names of copies that are being written are none of these: nobody sees them. Immutable.
 */
public final class UnderPath implements Comparable<UnderPath> {
  /** The mount's root. */
  public static final UnderPath ROOT = new UnderPath("");

  private static final int SHOWN = 80;

  private final String text;

  private UnderPath(String text) {
    this.text = text;
  }

  /**
   * Reads a path.
   *
   * @param text {@code a/b/c}; empty for the root
   * @throws UnderStoreException INVALID: a name is empty, {@code .} or {@code ..}, has a NUL or
   *     half a surrogate pair, or is that of a copy that is being written
   */
  public static UnderPath of(String text) throws UnderStoreException {
    if (text.isEmpty()) {
      return ROOT;
    }
    for (int start = 0; start <= text.length(); ) {
      int slash = text.indexOf('/', start);
      int end = slash < 0 ? text.length() : slash;
      requireName(text, text.substring(start, end));
      start = end + 1;
    }
    return new UnderPath(text);
  }

  private static void requireName(String path, String name) throws UnderStoreException {
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw invalid(path, "has the name '" + name + "'");
    }
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (name.indexOf('\0') >= 0 || !new String(bytes, StandardCharsets.UTF_8).equals(name)) {
      throw invalid(path, "has a NUL or half a surrogate pair in a name");
    }
    if (TemporaryName.parse(name).isPresent()) {
      throw invalid(path, "has a name that is kept for copies being written");
    }
  }

  private static UnderStoreException invalid(String text, String what) {
    String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    return new UnderStoreException(Reason.INVALID, "path below a mount " + what + ": " + shown);
  }

  /** {@code a/b/c}; empty for the root. */
  public String text() {
    return text;
  }

  /** Whether it is the mount's root. */
  public boolean isRoot() {
    return text.isEmpty();
  }

  /** The last name; empty for the root. */
  public String name() {
    return text.substring(text.lastIndexOf('/') + 1);
  }

  /** The directory that it is in; the root for the root. */
  public UnderPath parent() {
    return new UnderPath(text.substring(0, Math.max(0, text.lastIndexOf('/'))));
  }

  /**
   * Something in this directory.
   *
   * @throws UnderStoreException as {@link #of}; also when the name has a slash
   */
  public UnderPath child(String name) throws UnderStoreException {
    if (name.indexOf('/') >= 0) {
      throw invalid(name, "has a slash in a name");
    }
    requireName(name, name);
    return new UnderPath(isRoot() ? name : text + "/" + name);
  }

  @Override
  public int compareTo(UnderPath other) {
    return text.compareTo(other.text);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnderPath path && path.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}

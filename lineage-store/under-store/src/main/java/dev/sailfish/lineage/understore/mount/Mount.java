package dev.sailfish.lineage.understore.mount;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A file system, or a directory of one, at a path of the lineage store. Immutable and valid; an
 * {@link IllegalArgumentException} says what is wrong and what is right.
 *
 * <pre>
 *   /warehouse hdfs://nn:8020/user/hive/warehouse
 *   /lake s3a://lake/tables buffer=8m read.only=true hadoop.fs.s3a.path.style.access=true
 * </pre>
 *
 * @param path of the lineage store: {@code /} or names behind slashes
 * @param root what is there: scheme, host where the scheme has one, absolute path
 * @param options by name: those of {@link MountKey}, Hadoop's properties, and options of new files
 */
public record Mount(String path, URI root, Map<String, String> options) {
  /** Before the name of a property of Hadoop's configuration, for this mount alone. */
  public static final String HADOOP = "hadoop.";

  /** Before the name of an option with which new files are created; unknown ones do nothing. */
  public static final String CREATE = "create.";

  private static final Pattern NAME = Pattern.compile("[^\\s=%]+");

  /** Checks all, and puts the URI into its simplest form. */
  public Mount {
    requirePath(path);
    root = simple(path, root);
    options = Collections.unmodifiableMap(new TreeMap<>(options));
    for (String name : options.keySet()) {
      if (!NAME.matcher(name).matches()) {
        throw wrong(path, "option '" + name + "' has a space or = in its name");
      }
    }
    Map<String, String> own = new TreeMap<>(options);
    own.keySet().removeIf(name -> name.startsWith(HADOOP) || name.startsWith(CREATE));
    try {
      MountKey.ALL.check(Settings.of(own));
    } catch (IllegalArgumentException e) {
      throw wrong(path, e.getMessage());
    }
  }

  /** A mount with the default options. */
  public Mount(String path, URI root) {
    this(path, root, Map.of());
  }

  private static void requirePath(String path) {
    if (!path.startsWith("/") || (path.length() > 1 && path.endsWith("/"))) {
      throw wrong(path, "a path begins with a slash and ends with none");
    }
    try {
      UnderPath.of(path.substring(1));
    } catch (UnderStoreException e) {
      throw wrong(path, e.getMessage());
    }
  }

  private static URI simple(String path, URI root) {
    String below = root.getPath();
    if (root.getScheme() == null || below == null) {
      throw wrong(path, root + " must be scheme://host/path");
    }
    if (root.getRawQuery() != null || root.getRawFragment() != null) {
      throw wrong(path, root + " must end with the path: ? and # have no meaning");
    }
    while (below.endsWith("/")) {
      below = below.substring(0, below.length() - 1);
    }
    try {
      UnderPath.of(below.isEmpty() ? "" : below.substring(1));
      return new URI(root.getScheme(), root.getAuthority(), below + "/", null, null);
    } catch (UnderStoreException | URISyntaxException e) {
      throw wrong(path, root + ": " + e.getMessage());
    }
  }

  private static IllegalArgumentException wrong(String path, String what) {
    return new IllegalArgumentException("mount " + path + ": " + what);
  }

  /**
   * Reads {@code path URI name=value ...} with spaces between. In path and values a space, any
   * other character up to it, and {@code %} are written as {@code %20}, {@code %25} and so on.
   */
  public static Mount parse(String text) {
    String[] words = text.strip().split("[ \t]+");
    if (words.length < 2) {
      throw new IllegalArgumentException(
          "mount '" + text + "' must be: path URI, and name=value for each option");
    }
    String path = unescaped(words[0]);
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 2; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals <= 0) {
        throw wrong(path, "option '" + words[i] + "' must be name=value");
      }
      String name = words[i].substring(0, equals);
      if (options.put(name, unescaped(words[i].substring(equals + 1))) != null) {
        throw wrong(path, "option " + name + " is there twice");
      }
    }
    try {
      return new Mount(path, new URI(words[1]), options);
    } catch (URISyntaxException e) {
      throw wrong(path, e.getMessage());
    }
  }

  /** What {@link #parse} reads; options in order of their names. May hold passwords. */
  public String text() {
    StringBuilder text = new StringBuilder(escaped(path)).append(' ').append(root);
    options.forEach(
        (name, value) -> text.append(' ').append(name).append('=').append(escaped(value)));
    return text.toString();
  }

  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (letter <= ' ' || letter == '%') {
        escaped.append("%%%02X".formatted((int) letter));
      } else {
        escaped.append(letter);
      }
    }
    return escaped.toString();
  }

  private static String unescaped(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (letter == '%') {
        try {
          letter = (char) Integer.parseUnsignedInt(text, i + 1, i + 3, 16);
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
          throw new IllegalArgumentException("mount: % without two digits in " + text, e);
        }
        i += 2;
      }
      plain.append(letter);
    }
    return plain.toString();
  }

  /** An option's value, or its default. */
  public <T> T get(Key<T> key) {
    return Settings.of(options).get(key);
  }

  /** Options whose names begin with a prefix, by the rest of the name. */
  public Map<String, String> named(String prefix) {
    Map<String, String> named = new TreeMap<>();
    options.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            named.put(name.substring(prefix.length()), value);
          }
        });
    return named;
  }

  /** Bytes read or written below with one call: the buffer, rounded up to whole stripes. */
  public int bufferBytes() {
    long buffer = get(MountKey.BUFFER);
    long stripe = Math.max(1, get(MountKey.STRIPE_SIZE));
    return Math.toIntExact((buffer + stripe - 1) / stripe * stripe);
  }

  /** What people read: path and URI, without the options, among which may be passwords. */
  @Override
  public String toString() {
    return path + " (" + root + ")";
  }
}

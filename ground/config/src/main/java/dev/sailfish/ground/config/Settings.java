package dev.sailfish.ground.config;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is set, by key, and where. A blank value is as none. Errors name the key, its value, what is
 * allowed, and the place if there is one. Subclasses know another source; they are asked on the
 * thread that reads.
 */
public class Settings {
  private final Map<String, String> values;
  private final Map<String, String> places;

  /** For subclasses that find values elsewhere. */
  protected Settings() {
    this(Map.of(), Map.of());
  }

  private Settings(Map<String, String> values, Map<String, String> places) {
    this.values = values;
    this.places = places;
  }

  /** Settings by name. */
  public static Settings of(Map<String, String> values) {
    return new Settings(new TreeMap<>(values), Map.of());
  }

  /** The same with another value of one name; of what a subclass finds elsewhere, nothing. */
  public final Settings with(String name, String value) {
    Map<String, String> changed = new TreeMap<>(values);
    changed.put(name, value);
    return new Settings(changed, places);
  }

  /** The value as it is written, or null when the name is not set. */
  protected String find(String name) {
    return values.get(name);
  }

  /** All names that are set, in order; none of a subclass's source. */
  final Set<String> names() {
    return values.keySet();
  }

  /** Where a name is set, to be put behind a sentence; empty where its name says enough. */
  final String place(String name) {
    return places.getOrDefault(name, "");
  }

  /**
   * Reads a properties file, in UTF-8; a name that is set twice has its last value.
   *
   * @throws IOException naming the file when it cannot be read, and the line that is wrong
   */
  public static Settings read(Path file) throws IOException {
    TreeMap<String, String> values = new TreeMap<>();
    TreeMap<String, String> places = new TreeMap<>();
    int line = 0;
    try {
      List<String> lines = Files.readAllLines(file);
      while (line < lines.size()) {
        StringBuilder entry = new StringBuilder(lines.get(line++));
        String place = " (" + file + ":" + line + ")";
        String text = entry.toString().stripLeading();
        boolean comment = text.startsWith("#") || text.startsWith("!");
        while (!comment && goesOn(entry) && line < lines.size()) {
          entry.append('\n').append(lines.get(line++));
        }
        Properties properties = new Properties();
        properties.load(new StringReader(entry.toString()));
        for (String name : properties.stringPropertyNames()) {
          values.put(name, properties.getProperty(name));
          places.put(name, place);
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("configuration cannot be read: " + file + ":" + line + ": " + e, e);
    }
    return new Settings(values, places);
  }

  /** Whether a line ends with a backslash that no other one makes an ordinary letter. */
  private static boolean goesOn(CharSequence line) {
    int backslashes = 0;
    for (int i = line.length() - 1; i >= 0 && line.charAt(i) == '\\'; i--) {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }

  /** Whether the key has a value of its own. */
  public final boolean isSet(Key<?> key) {
    return !text(key).isEmpty();
  }

  /**
   * The key's value, or its default.
   *
   * @throws IllegalArgumentException when the value is not allowed, or there is neither
   */
  public final <T> T get(Key<T> key) {
    T value = key.parse(written(key));
    if (value == null) {
      throw wrong(key, key.rule());
    }
    return value;
  }

  /**
   * The key's value, or {@code otherwise} when none is set.
   *
   * @throws IllegalArgumentException when the value is not allowed
   */
  public final <T> T get(Key<T> key, T otherwise) {
    return isSet(key) ? get(key) : otherwise;
  }

  /**
   * The address that a part of the key's value says.
   *
   * @throws IllegalArgumentException when it says none
   */
  public final HostPort address(Key<?> key, String part) {
    try {
      return HostPort.parse(part);
    } catch (IllegalArgumentException e) {
      throw wrong(key, "is wrong: " + e.getMessage());
    }
  }

  /** The error of a value; {@code rule} says what it should be, or what is wrong with it. */
  public final IllegalArgumentException wrong(Key<?> key, String rule) {
    return new IllegalArgumentException(
        key.name() + "=" + written(key) + " " + rule + place(key.name()));
  }

  private String written(Key<?> key) {
    String text = text(key);
    return text.isEmpty() ? key.defaultText() : text;
  }

  private String text(Key<?> key) {
    String text = find(key.name());
    return text == null ? "" : text.strip();
  }
}

package dev.sailfish.ground.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One configuration key: its name, what its values are, which one holds when none is set, and what
 * it is for. Declared once, in a {@link KeySet}; {@link Settings} have the values. Immutable.
 *
 * @param <T> what its values are
 */
public final class Key<T> {
  /** In place of a path or of addresses: there is none. */
  public static final String NONE = "none";

  // The types, as users see them. No enum: a task would load two more classes for it.
  static final String TEXT = "text";
  static final String WORD = "word";
  static final String LIST = "list";
  static final String PATH = "path";
  static final String FLAG = "true or false";
  static final String NUMBER = "number";
  static final String SIZE = "size";
  static final String DURATION = "duration";
  static final String ADDRESSES = "host:port";

  private static final String OR_ZERO = "0|";

  private final String type;
  private final String name;
  private final String defaultText;
  private final String range;
  private final String meaning;

  Key(String type, String name, String defaultText, String range, String meaning) {
    this.type = type;
    this.name = name;
    this.defaultText = defaultText;
    this.range = range;
    this.meaning = meaning;
  }

  /** The whole key, as users write it. */
  public String name() {
    return name;
  }

  /** What its values are, in a word or two. */
  public String type() {
    return type;
  }

  /** The value when none is set, as users would write it; may be empty. */
  public String defaultText() {
    return defaultText;
  }

  /**
   * What is allowed: {@code least..most}, {@code least..} or {@code 0|least..most}, or words with
   * {@code |} between; empty: everything.
   */
  public String range() {
    return range;
  }

  /** What it is for. */
  public String meaning() {
    return meaning;
  }

  /** The value that a text says, or null when the text is none of this key. */
  @SuppressWarnings("unchecked")
  T parse(String text) {
    return (T)
        switch (type) {
          case TEXT -> text;
          case WORD -> text.isEmpty() || isWord(text) ? text : null;
          case LIST -> list(text);
          case PATH -> path(text);
          case FLAG -> text.equals("true") ? Boolean.TRUE : text.equals("false") ? false : null;
          case ADDRESSES -> addresses(text);
          default -> figure(text);
        };
  }

  /** What {@link #parse} takes, to be put behind a value that is none. */
  String rule() {
    String allowed = range.replace("|", " or ");
    return switch (type) {
      case TEXT -> "is not allowed";
      case WORD -> "must be " + allowed;
      case LIST -> "must be words of " + range.replace("|", ", ") + " with commas between";
      case PATH -> "is not a path";
      case FLAG -> "must be true or false";
      case NUMBER -> "must be a whole number in " + allowed;
      case SIZE -> "must be a size in " + allowed + ", as 64k, 128m, 1g, 2t or in bytes";
      case DURATION -> "must be a duration in " + allowed + ", as 500ms, 30s, 10min, 1h or 2d";
      default ->
          "must be host:port, or several with commas between"
              + (range.isEmpty() ? "" : ", or " + range);
    };
  }

  private boolean isWord(String text) {
    return text.indexOf('|') < 0 && ("|" + range + "|").contains("|" + text + "|");
  }

  private List<String> list(String text) {
    List<String> words = new ArrayList<>();
    for (String part : text.split(",")) {
      String word = part.strip();
      if (!word.isEmpty() && !range.isEmpty() && !isWord(word)) {
        return null;
      }
      if (!word.isEmpty()) {
        words.add(word);
      }
    }
    return List.copyOf(words);
  }

  private static Optional<Path> path(String text) {
    try {
      return text.isEmpty() || text.equals(NONE) ? Optional.empty() : Optional.of(Path.of(text));
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private List<HostPort> addresses(String text) {
    try {
      return !range.isEmpty() && text.equals(range) ? List.of() : HostPort.parseAll(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private Object figure(String text) {
    long value = plain(text);
    int from = range.startsWith(OR_ZERO) ? OR_ZERO.length() : 0;
    int dots = range.indexOf("..");
    String most = range.substring(dots + 2);
    boolean inRange =
        value >= plain(range.substring(from, dots)) && (most.isEmpty() || value <= plain(most));
    if (!inRange && (from == 0 || value != 0)) {
      return null;
    }
    return switch (type) {
      case NUMBER -> value > Integer.MAX_VALUE ? null : (Object) (int) value;
      case DURATION -> Duration.ofMillis(value);
      default -> value;
    };
  }

  private long plain(String text) {
    return switch (type) {
      case NUMBER -> Notation.number(text);
      case DURATION -> Notation.durationMs(text);
      default -> Notation.size(text);
    };
  }

  @Override
  public String toString() {
    return name;
  }
}

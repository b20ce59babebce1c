package dev.sailfish.ground.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All keys of one daemon, or of jobs, in the order in which they are declared; their names begin
 * with the same words. A class of constants declares them while it is initialized; nothing is added
 * later, and any thread may read.
 */
public final class KeySet {
  private final String prefix;
  private final List<String> foreign;
  private final List<Key<?>> keys = new ArrayList<>();

  /**
   * @param prefix what all names begin with
   * @param foreign names behind the prefix that somebody else has declared, and that are let pass
   */
  public KeySet(String prefix, String... foreign) {
    this.prefix = prefix;
    this.foreign = List.of(foreign);
  }

  /** What all names begin with. */
  public String prefix() {
    return prefix;
  }

  /** Declares a key whose values are any text. */
  public Key<String> text(String label, String defaultText, String meaning) {
    return add(Key.TEXT, label, defaultText, "", meaning);
  }

  /** Declares a key with one of the words of {@code range}, {@code |} between them, or empty. */
  public Key<String> word(String label, String defaultText, String range, String meaning) {
    return add(Key.WORD, label, defaultText, range, meaning);
  }

  /** Declares a key with words that have commas between: those of {@code range}, or any. */
  public Key<List<String>> list(String label, String range, String meaning) {
    return list(label, "", range, meaning);
  }

  /** The same, with words when none are set. */
  public Key<List<String>> list(String label, String defaultText, String range, String meaning) {
    return add(Key.LIST, label, defaultText, range, meaning);
  }

  /** Declares a key with a path; empty for {@link Key#NONE} and when nothing is set. */
  public Key<Optional<Path>> path(String label, String defaultText, String meaning) {
    return add(Key.PATH, label, defaultText, "", meaning);
  }

  /** Declares a key that is true or false. */
  public Key<Boolean> flag(String label, String defaultText, String meaning) {
    return add(Key.FLAG, label, defaultText, "", meaning);
  }

  /** Declares a key with a whole number that is not negative. */
  public Key<Integer> number(String label, String defaultText, String range, String meaning) {
    return add(Key.NUMBER, label, defaultText, range, meaning);
  }

  /** Declares a key with a number of bytes. */
  public Key<Long> size(String label, String defaultText, String range, String meaning) {
    return add(Key.SIZE, label, defaultText, range, meaning);
  }

  /** Declares a key with a duration of whole milliseconds. */
  public Key<Duration> duration(String label, String defaultText, String range, String meaning) {
    return add(Key.DURATION, label, defaultText, range, meaning);
  }

  /** Declares a key with addresses; with {@link Key#NONE} as its range there may be none. */
  public Key<List<HostPort>> addresses(
      String label, String defaultText, String range, String meaning) {
    return add(Key.ADDRESSES, label, defaultText, range, meaning);
  }

  private <T> Key<T> add(
      String type, String label, String defaultText, String range, String meaning) {
    Key<T> key = new Key<>(type, prefix + label, defaultText, range, meaning);
    keys.add(key);
    return key;
  }

  /** All keys. */
  public List<Key<?>> all() {
    return List.copyOf(keys);
  }

  /**
   * Refuses names with this prefix that nobody has declared, mostly they are misspelt, and values
   * that are not allowed: after that {@link Settings#get} throws nothing for a key that has a
   * default.
   *
   * @throws IllegalArgumentException naming what is wrong, where it is set, and what is right
   */
  public void check(Settings settings) {
    List<String> known = new ArrayList<>();
    // No lambda: each task would bootstrap it.
    for (Key<?> key : keys) {
      known.add(key.name());
    }
    StringBuilder unknown = new StringBuilder();
    for (String name : settings.names()) {
      if (name.startsWith(prefix)
          && !known.contains(name)
          && !foreign.contains(name.substring(prefix.length()))) {
        unknown.append(unknown.length() == 0 ? "unknown key " : "; unknown key ");
        unknown.append(name).append(settings.place(name));
        unknown.append(", did you mean ").append(nearest(name, known)).append('?');
      }
    }
    if (unknown.length() > 0) {
      throw new IllegalArgumentException(unknown.toString());
    }
    for (Key<?> key : keys) {
      if (settings.isSet(key)) {
        settings.get(key);
      }
    }
  }

  private static String nearest(String name, List<String> known) {
    String nearest = "";
    int least = Integer.MAX_VALUE;
    for (String candidate : known) {
      int distance = distance(name, candidate);
      if (distance < least) {
        least = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /** How many letters must be inserted, deleted or replaced to make one text of the other. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}

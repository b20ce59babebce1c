package dev.sailfish.chunkserver;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the settings of {@link ChunkserverKey}; each error names the key, its value and what is
 * allowed. Sizes are in bytes, or with k, m, g, t behind the figure (powers of 1024); times in
 * milliseconds, or with ms, s, min, h.
 */
final class Settings {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([kmgt]?)");
  private static final Pattern TIME = Pattern.compile("([0-9]{1,15})(ms|s|min|h|)");
  private static final int UNIT_BITS = 10;

  private final Map<String, String> values;
  private final Set<String> unread = new TreeSet<>();

  Settings(Map<String, String> values) {
    this.values = values;
    for (String key : values.keySet()) {
      if (key.startsWith(ChunkserverKey.PREFIX)) {
        unread.add(key);
      }
    }
  }

  /** The value; absent when it is not set or blank. */
  Optional<String> text(ChunkserverKey key) {
    unread.remove(key.key());
    return Optional.ofNullable(values.get(key.key()))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  /** A whole number in the key's range. */
  int number(ChunkserverKey key) {
    Optional<String> text = text(key);
    if (text.isEmpty()) {
      return (int) key.fallback();
    }
    try {
      return (int) inRange(key, Long.parseLong(text.get()));
    } catch (NumberFormatException e) {
      throw invalid(key, text.get(), "is not a whole number");
    }
  }

  /** A size in the key's range, in bytes. */
  long size(ChunkserverKey key) {
    Optional<String> text = text(key);
    return text.isEmpty() ? key.fallback() : inRange(key, parseSize(key, text.get()));
  }

  /** The bytes that {@code text} says. */
  long parseSize(ChunkserverKey key, String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw invalid(key, text, "is not a size: write bytes, or 64k, 512m, 10g, 1t");
    }
    int power = matcher.group(2).isEmpty() ? 0 : 1 + "kmgt".indexOf(matcher.group(2));
    long figure = Long.parseLong(matcher.group(1));
    long bytes = figure << UNIT_BITS * power;
    if (bytes >> UNIT_BITS * power != figure) {
      throw invalid(key, text, "is too large");
    }
    return bytes;
  }

  /** A time in the key's range. */
  Duration time(ChunkserverKey key) {
    Optional<String> text = text(key);
    if (text.isEmpty()) {
      return Duration.ofMillis(key.fallback());
    }
    Duration min = Duration.ofMillis(key.least());
    Duration max = Duration.ofMillis(key.most());
    Matcher matcher = TIME.matcher(text.get());
    if (!matcher.matches()) {
      throw invalid(key, text.get(), "is not a time: write milliseconds, or 500ms, 30s, 5min, 1h");
    }
    long figure = Long.parseLong(matcher.group(1));
    Duration time =
        switch (matcher.group(2)) {
          case "s" -> Duration.ofSeconds(figure);
          case "min" -> Duration.ofMinutes(figure);
          case "h" -> Duration.ofHours(figure);
          default -> Duration.ofMillis(figure);
        };
    if (time.compareTo(min) < 0 || time.compareTo(max) > 0) {
      throw invalid(key, text.get(), "must be in [" + min + ", " + max + "]");
    }
    return time;
  }

  private static long inRange(ChunkserverKey key, long value) {
    if (value < key.least() || value > key.most()) {
      throw invalid(key, value, "must be in [" + key.least() + ", " + key.most() + "]");
    }
    return value;
  }

  /** Refuses keys that nobody has asked for: mostly they are misspelt. */
  void requireAllRead() {
    if (!unread.isEmpty()) {
      throw new IllegalArgumentException("unknown settings: " + String.join(", ", unread));
    }
  }

  static IllegalArgumentException invalid(ChunkserverKey key, Object value, String rule) {
    return new IllegalArgumentException(key.key() + "=" + value + " " + rule);
  }
}

package dev.sailfish.chunkserver;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the settings below one prefix; each error names the key, its value and what is allowed. Sizes
 * are in bytes, or with k, m, g, t behind the figure (powers of 1024); times in milliseconds, or with
 * ms, s, min, h.
 */
final class Settings {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([kmgt]?)");
  private static final Pattern TIME = Pattern.compile("([0-9]{1,15})(ms|s|min|h|)");
  private static final int UNIT_BITS = 10;

  private final String prefix;
  private final Map<String, String> values;
  private final Set<String> unread = new TreeSet<>();

  Settings(String prefix, Map<String, String> values) {
    this.prefix = prefix;
    this.values = values;
    for (String key : values.keySet()) {
      if (key.startsWith(prefix)) {
        unread.add(key);
      }
    }
  }

  /** The value; absent when it is not set or blank. */
  Optional<String> text(String name) {
    unread.remove(prefix + name);
    return Optional.ofNullable(values.get(prefix + name))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  /** A whole number in [min, max]. */
  int number(String name, int fallback, int min, int max) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return fallback;
    }
    try {
      return (int) inRange(name, Long.parseLong(text.get()), min, max);
    } catch (NumberFormatException e) {
      throw invalid(name, text.get(), "is not a whole number");
    }
  }

  /** A size in [min, max] bytes. */
  long size(String name, long fallback, long min, long max) {
    Optional<String> text = text(name);
    return text.isEmpty() ? fallback : inRange(name, parseSize(name, text.get()), min, max);
  }

  /** The bytes that {@code text} says. */
  long parseSize(String name, String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw invalid(name, text, "is not a size: write bytes, or 64k, 512m, 10g, 1t");
    }
    int power = matcher.group(2).isEmpty() ? 0 : 1 + "kmgt".indexOf(matcher.group(2));
    long figure = Long.parseLong(matcher.group(1));
    long bytes = figure << UNIT_BITS * power;
    if (bytes >> UNIT_BITS * power != figure) {
      throw invalid(name, text, "is too large");
    }
    return bytes;
  }

  /** A time in [min, max]. */
  Duration time(String name, Duration fallback, Duration min, Duration max) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return fallback;
    }
    Matcher matcher = TIME.matcher(text.get());
    if (!matcher.matches()) {
      throw invalid(name, text.get(), "is not a time: write milliseconds, or 500ms, 30s, 5min, 1h");
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
      throw invalid(name, text.get(), "must be in [" + min + ", " + max + "]");
    }
    return time;
  }

  private long inRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw invalid(name, value, "must be in [" + min + ", " + max + "]");
    }
    return value;
  }

  /** Refuses keys that nobody has asked for: mostly they are misspelt. */
  void requireAllRead() {
    if (!unread.isEmpty()) {
      throw new IllegalArgumentException("unknown settings: " + String.join(", ", unread));
    }
  }

  IllegalArgumentException invalid(String name, Object value, String rule) {
    return new IllegalArgumentException(prefix + name + "=" + value + " " + rule);
  }
}

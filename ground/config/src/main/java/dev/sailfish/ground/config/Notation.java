package dev.sailfish.ground.config;

/** How numbers, sizes and durations are written. Small loops, because tasks load this too. */
public final class Notation {
  /** What the methods return for a text that says none of what they read. */
  static final long WRONG = -1;

  private static final String[] SIZE_UNITS = {"", "k", "m", "g", "t"};
  private static final long[] SIZES = {1, 1L << 10, 1L << 20, 1L << 30, 1L << 40};
  private static final String[] TIME_UNITS = {"ms", "s", "min", "h", "d"};
  private static final long[] TIMES = {1, 1_000, 60_000, 3_600_000, 86_400_000};

  private Notation() {}

  /** A whole number of decimal digits, or {@link #WRONG}. */
  static long number(String text) {
    return times(text, digits(text), 1);
  }

  /**
   * The bytes of {@code 4096}, {@code 64k}, {@code 128m}, {@code 1g} or {@code 2t}, powers of 1024,
   * or -1 when the text is no such size or none that fits a long.
   */
  public static long size(String text) {
    return inUnits(text, SIZE_UNITS, SIZES);
  }

  /**
   * The milliseconds of {@code 500ms}, {@code 30s}, {@code 10min}, {@code 1h}, {@code 2d} or {@code
   * 0}, or -1 when the text is no such duration or none that fits a long.
   */
  public static long durationMs(String text) {
    return text.equals("0") ? 0 : inUnits(text, TIME_UNITS, TIMES);
  }

  private static long inUnits(String text, String[] units, long[] factors) {
    int end = digits(text);
    for (int i = 0; i < units.length; i++) {
      if (text.length() - end == units[i].length() && text.endsWith(units[i])) {
        return times(text.substring(0, end), end, factors[i]);
      }
    }
    return WRONG;
  }

  /** How many ASCII digits the text begins with. */
  private static int digits(String text) {
    int end = 0;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  /** The figure, all of {@code text} and {@code end} digits long, times {@code factor}. */
  private static long times(String text, int end, long factor) {
    if (end == 0 || end != text.length()) {
      return WRONG;
    }
    long most = Long.MAX_VALUE / factor;
    long figure = 0;
    for (int i = 0; i < end; i++) {
      int digit = text.charAt(i) - '0';
      if (figure > (most - digit) / 10) {
        return WRONG;
      }
      figure = figure * 10 + digit;
    }
    return figure * factor;
  }
}

package dev.sailfish.web.job;

import java.util.Locale;

/** Figures as people read them, for sentences. */
final class Words {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  private static final double STEP = 1024;
  private static final double TEN = 10;
  private static final long SECOND_MS = 1_000;
  private static final long MINUTE_MS = 60 * SECOND_MS;
  private static final long HOUR_MS = 60 * MINUTE_MS;

  private Words() {}

  /** Bytes in the largest unit that fits. */
  static String size(long bytes) {
    double figure = bytes;
    int unit = 0;
    while (figure >= STEP && unit < UNITS.length - 1) {
      figure /= STEP;
      unit++;
    }
    String form = unit > 0 && figure < TEN ? "%.1f %s" : "%.0f %s";
    return String.format(Locale.ROOT, form, figure, UNITS[unit]);
  }

  /** A duration in one or two units. */
  static String duration(long ms) {
    if (ms < SECOND_MS) {
      return ms + " ms";
    }
    if (ms < MINUTE_MS) {
      return ms / SECOND_MS + " s";
    }
    return ms < HOUR_MS
        ? ms / MINUTE_MS + " min " + ms % MINUTE_MS / SECOND_MS + " s"
        : ms / HOUR_MS + " h " + ms % HOUR_MS / MINUTE_MS + " min";
  }

  /** How many there are of something. */
  static String count(long count, String one) {
    return count + " " + one + (count == 1 ? "" : "s");
  }

  /** The first line of a text, without anything that is no letter, and not longer than a line. */
  static String firstLine(String text) {
    String line =
        text.lines().map(String::strip).filter(some -> !some.isEmpty()).findFirst().orElse("");
    String plain = line.replaceAll("\\p{Cntrl}", " ");
    return plain.length() > 300 ? plain.substring(0, 300) + "…" : plain;
  }
}

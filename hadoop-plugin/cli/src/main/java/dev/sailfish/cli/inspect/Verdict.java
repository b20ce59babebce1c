package dev.sailfish.cli.inspect;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.TruncatedFormatException;
import dev.sailfish.format.UnsupportedFormatException;
import java.nio.file.Path;

/**
 * What came of verifying a chunk file.
 *
 * @param good whether nothing is wrong
 * @param line the verdict for people: one line without a line end
 */
public record Verdict(boolean good, String line) {
  /** The verdict over a file that is not even a chunk. */
  public static Verdict damaged(Path file, FormatException damage) {
    return damaged(file, "", damage);
  }

  /** The verdict over a file that is not what the format says, and where it is not. */
  static Verdict damaged(Path file, String place, FormatException damage) {
    String what = describe(place, damage);
    return new Verdict(false, "damaged: " + file + ": " + what + ". " + advice(damage));
  }

  /** Which kind of damage it is, where, and the details. */
  static String describe(String place, FormatException damage) {
    String kind =
        damage instanceof CorruptFormatException
            ? "corrupt"
            : damage instanceof TruncatedFormatException ? "truncated" : "too new";
    return kind + ": " + (place.isEmpty() ? "" : place + ": ") + damage.getMessage();
  }

  private static String advice(FormatException damage) {
    return damage instanceof UnsupportedFormatException
        ? "Read it with the version of Sailfish that wrote it."
        : "chunk dump shows what can be read; if a chunkserver still writes the file, verify"
            + " again.";
  }
}

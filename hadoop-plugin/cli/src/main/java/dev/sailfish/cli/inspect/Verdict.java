package dev.sailfish.cli.inspect;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.TruncatedFormatException;
import dev.sailfish.format.UnsupportedFormatException;

/**
 * What came of verifying a chunk file.
 *
 * @param good whether nothing is wrong
 * @param line the verdict for people: one line without a line end
 */
public record Verdict(boolean good, String line) {
  /** The verdict over a file that is not what the format says. */
  public static Verdict damaged(String file, FormatException damage) {
    return new Verdict(false, "damaged: " + file + ": " + describe(damage) + ". " + advice(damage));
  }

  /** Which kind of damage it is, and the details. */
  static String describe(FormatException damage) {
    String kind =
        damage instanceof CorruptFormatException
            ? "corrupt"
            : damage instanceof TruncatedFormatException ? "truncated" : "too new";
    return kind + ": " + damage.getMessage();
  }

  private static String advice(FormatException damage) {
    return damage instanceof UnsupportedFormatException
        ? "Read it with the version of Sailfish that wrote it."
        : "chunk dump shows what can be read; if a chunkserver still writes the file, verify"
            + " again.";
  }
}

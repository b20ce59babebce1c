package dev.sailfish.lineage.client;

import java.io.IOException;
import java.util.Map;

/**
 * What became of the files of a tree that were to be loaded or copied.
 *
 * @param files all that were looked at
 * @param done files of which something was loaded or copied
 * @param bytes that were loaded or copied
 * @param failed how many files failed
 * @param failures what failed, by path; at most {@link #MOST_FAILURES} of them
 */
public record TransferOutcome(
    long files, long done, long bytes, long failed, Map<String, IOException> failures) {
  /** Failures that are told. */
  public static final int MOST_FAILURES = 100;
}

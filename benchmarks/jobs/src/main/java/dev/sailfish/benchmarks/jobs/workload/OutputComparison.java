package dev.sailfish.benchmarks.jobs.workload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The result of comparing two job outputs, file by file and byte by byte.
 *
 * @param equal same names, same bytes, and at least one file
 * @param description one line: how much was equal, or the first difference
 */
public record OutputComparison(boolean equal, String description) {

  /** Compares the {@code part-*} files of two output directories. */
  public static OutputComparison compare(Path left, Path right) {
    List<String> leftNames = partFiles(left);
    List<String> rightNames = partFiles(right);
    if (leftNames.isEmpty()) {
      return new OutputComparison(false, left + " holds no part files");
    }
    if (!leftNames.equals(rightNames)) {
      return new OutputComparison(false, "files differ: " + leftNames + " and " + rightNames);
    }
    long bytes = 0;
    try {
      for (String name : leftNames) {
        long position = Files.mismatch(left.resolve(name), right.resolve(name));
        if (position >= 0) {
          return new OutputComparison(false, name + " differs at byte " + position);
        }
        bytes += Files.size(left.resolve(name));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new OutputComparison(true, leftNames.size() + " files, " + bytes + " bytes equal");
  }

  private static List<String> partFiles(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("part-"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.sailfish.benchmarks.jobs.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The {@code part-*} files that jobs write. */
public final class PartFiles {
  private PartFiles() {}

  /** Those in an output directory, by name. */
  static List<Path> in(Path output) throws IOException {
    try (Stream<Path> files = Files.list(output)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("part-"))
          .sorted()
          .toList();
    }
  }

  /** The first difference of two outputs, in names or bytes; none at all are different too. */
  public static Optional<String> difference(Path left, Path right) throws IOException {
    List<Path> files = in(left);
    if (files.isEmpty()) {
      return Optional.of(left + " holds no part files");
    }
    List<Path> others = files.stream().map(file -> right.resolve(file.getFileName())).toList();
    if (!others.equals(in(right))) {
      return Optional.of("files differ: " + files + " and " + in(right));
    }
    for (int i = 0; i < files.size(); i++) {
      long position = Files.mismatch(files.get(i), others.get(i));
      if (position >= 0) {
        return Optional.of(files.get(i) + " and " + others.get(i) + " differ at byte " + position);
      }
    }
    return Optional.empty();
  }
}

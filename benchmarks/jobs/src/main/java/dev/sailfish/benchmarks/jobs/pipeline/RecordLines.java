package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The lines in the logs of tasks that say what making a record took. For one thread. */
final class RecordLines {
  private static final Pattern LINE =
      Pattern.compile("Record \\d+ says how .* programs, .* inputs; \\d+ ms, (\\d+) ms of CPU$");
  private static final double MS = 1_000;

  private final Path logs;
  private final Set<Path> seen = new HashSet<>();

  /**
   * @param logs directory with one directory per application
   */
  RecordLines(Path logs) {
    this.logs = logs;
  }

  /** Leaves out the applications that are there. */
  void skip() {
    seen.addAll(list(logs));
  }

  /** CPU seconds of each record that applications made since, in no order. */
  List<Double> cpuSeconds() {
    return list(logs).stream()
        .filter(application -> !seen.contains(application))
        .flatMap(application -> list(application).stream())
        .map(container -> container.resolve("syslog"))
        .filter(Files::exists)
        .flatMap(file -> read(file).stream())
        .flatMap(line -> cpuSecondsOf(line).stream())
        .toList();
  }

  /** What a line says; empty when it is another one. */
  static Optional<Double> cpuSecondsOf(String line) {
    Matcher matcher = LINE.matcher(line);
    return matcher.find() ? Optional.of(Integer.parseInt(matcher.group(1)) / MS) : Optional.empty();
  }

  private static List<Path> list(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.filter(Files::isDirectory).sorted().toList();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static CommandException unreadable(IOException e) {
    return new CommandException("Cannot read the logs of tasks: " + e.getMessage(), e);
  }
}

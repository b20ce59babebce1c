package dev.sailfish.system.programs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a run of a program has written.
 *
 * @param files by path below the directory of the run; a sequence file, which has random marks in
 *     it, as its records
 */
record ProgramOutput(SortedMap<String, String> files) {
  private static final byte[] SEQUENCE = {'S', 'E', 'Q'};

  /** Of files of reduce tasks: their number, which the data decides in {@code auto} mode. */
  private static final String NUMBER = "-\\d{5}(?=$|\\.)";

  /** Reads what is there now. */
  static ProgramOutput of(Path directory) throws IOException {
    SortedMap<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        String name = file.getFileName().toString();
        if (!name.startsWith(".") && !name.startsWith("_")) {
          files.put(directory.relativize(file).toString(), content(file));
        }
      }
    }
    return new ProgramOutput(files);
  }

  private static String content(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    boolean sequence =
        bytes.length > SEQUENCE.length
            && Arrays.equals(bytes, 0, SEQUENCE.length, SEQUENCE, 0, SEQUENCE.length);
    return sequence
        ? SequenceFileText.of(file.toUri())
        : new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** The numbered files of each directory as one: in another number of files they hold the same. */
  ProgramOutput joined() {
    SortedMap<String, String> joined = new TreeMap<>();
    files.forEach(
        (name, content) -> joined.merge(name.replaceAll(NUMBER, ""), content, String::concat));
    return new ProgramOutput(joined);
  }

  /** The same with the lines of each file sorted. */
  ProgramOutput sorted() {
    SortedMap<String, String> sorted = new TreeMap<>();
    files.forEach(
        (name, content) ->
            sorted.put(name, content.lines().sorted().collect(Collectors.joining("\n"))));
    return new ProgramOutput(sorted);
  }

  /** In words, where two differ; empty when they do not. */
  String differenceFrom(ProgramOutput stock) {
    if (!files.keySet().equals(stock.files.keySet())) {
      return "wrote " + files.keySet() + ", stock " + stock.files.keySet();
    }
    List<String> differences = new ArrayList<>();
    files.forEach(
        (name, content) -> {
          if (!content.equals(stock.files.get(name))) {
            differences.add(name + ": " + firstDifference(content, stock.files.get(name)));
          }
        });
    return String.join("; ", differences);
  }

  private static String firstDifference(String ours, String stock) {
    String[] left = ours.split("\n", -1);
    String[] right = stock.split("\n", -1);
    int line = Arrays.mismatch(left, right);
    return "line %d is <%s>, stock's <%s>, of %d and %d lines"
        .formatted(line + 1, at(left, line), at(right, line), left.length, right.length);
  }

  private static String at(String[] lines, int line) {
    return line < lines.length ? lines[line] : "none";
  }

  /** Whether there is nothing to compare: a program that did nothing is no proof. */
  boolean isEmpty() {
    return files.values().stream().allMatch(String::isEmpty);
  }
}

package dev.sailfish.system.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What Hadoop's own programs read: small files, the same in each run. */
final class Inputs {
  private static final int LINES = 20_000;
  private static final int WORDS_PER_LINE = 9;

  private final Path directory;

  private Inputs(Path directory) {
    this.directory = directory;
  }

  /** Makes them: directories of two files each. */
  static void write(Path directory) throws IOException {
    Inputs inputs = new Inputs(directory);
    SplittableRandom random = new SplittableRandom(7);
    inputs.write("words", Stream.generate(() -> line(random)));
    inputs.write("pairs", random.ints(-50, 50).mapToObj(i -> i + " " + random.nextInt(1000)));
    inputs.write("left", random.ints(0, LINES).mapToObj(i -> "k" + i + "\tleft" + i % 97));
    inputs.write("right", random.ints(0, LINES).mapToObj(i -> "k" + i + "\tright" + i % 89));
  }

  private static String line(SplittableRandom random) {
    StringBuilder line = new StringBuilder();
    IntStream.range(0, random.nextInt(WORDS_PER_LINE))
        .forEach(
            i -> line.append("word").append((int) Math.pow(random.nextInt(400), 1.5)).append(' '));
    return line.toString();
  }

  private void write(String name, Stream<String> lines) throws IOException {
    Path input = Files.createDirectories(directory.resolve(name));
    List<String> all = lines.limit(LINES).toList();
    Files.write(input.resolve("a"), all.subList(0, LINES / 3));
    Files.write(input.resolve("b"), all.subList(LINES / 3, LINES));
  }
}

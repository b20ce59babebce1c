package dev.sailfish.benchmarks.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordFilesTest {
  @TempDir private Path directory;

  private static List<String> lines(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    return lines;
  }

  @Test
  void countsWhatItWrites() throws Exception {
    WordFiles text = new WordFiles(1);
    text.write(directory.resolve("one"), 3, 10_000);
    text.write(directory.resolve("two"), 1, 20_000);
    List<String> all = lines(directory.resolve("one"));
    all.addAll(lines(directory.resolve("two")));
    List<String> words = all.stream().flatMap(line -> Stream.of(line.split(" "))).toList();
    assertThat(text.lines()).isEqualTo(all.size()).isGreaterThan(500);
    assertThat(text.words()).isEqualTo(words.size());
    assertThat(text.distinct()).isEqualTo(words.stream().distinct().count()).isGreaterThan(1000);
  }

  @Test
  void hasFilesOfTheLengthThatIsAskedFor() throws Exception {
    new WordFiles(1).write(directory.resolve("text"), 5, 100_000);
    try (Stream<Path> files = Files.list(directory.resolve("text"))) {
      assertThat(files)
          .hasSize(5)
          .allSatisfy(file -> assertThat(Files.size(file)).isBetween(100_000L, 100_100L));
    }
  }

  @Test
  void hasTheSameTextForTheSameSeedAlone() throws Exception {
    for (int i = 0; i < 3; i++) {
      new WordFiles(i / 2).write(directory.resolve("text-" + i), 2, 5_000);
    }
    List<String> first = lines(directory.resolve("text-0"));
    assertThat(lines(directory.resolve("text-1"))).isEqualTo(first);
    assertThat(lines(directory.resolve("text-2"))).isNotEqualTo(first);
  }
}

package dev.sailfish.benchmarks.jobs.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextTest {
  @TempDir private Path temporary;

  private Path write(int files, long bytes, int distinct) throws IOException {
    Path corpus = Files.createDirectories(temporary.resolve("corpus"));
    Files.writeString(corpus.resolve("b.txt"), "four five\tsix\n seven");
    Files.writeString(corpus.resolve("a.txt"), "one two\n\nthree \u00e4\u00f6 ");
    Path text = temporary.resolve("text-" + distinct);
    Text.write(corpus, text, files, bytes, distinct);
    return text;
  }

  private static Set<String> words(Path text) throws IOException {
    Set<String> words = new TreeSet<>();
    try (Stream<Path> files = Files.list(text)) {
      for (Path file : files.toList()) {
        words.addAll(List.of(Files.readString(file).strip().split("\\s+")));
      }
    }
    return words;
  }

  @Test
  void allWordsAreThereAndNoneIsCut() throws IOException {
    Path text = write(2, 2_000, 0);
    assertThat(words(text))
        .containsOnly("one", "two", "three", "\u00e4\u00f6", "four", "five", "six", "seven");
    try (Stream<Path> files = Files.list(text)) {
      assertThat(files)
          .hasSize(2)
          .allSatisfy(file -> assertThat(Files.size(file)).isBetween(1_000L, 1_010L));
    }
  }

  @Test
  void wordsAreReplacedByFewerOnes() throws IOException {
    assertThat(words(write(1, 1_000, 3)))
        .isSubsetOf("word-000000", "word-000001", "word-000002")
        .hasSizeGreaterThan(1);
  }
}

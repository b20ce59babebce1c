package dev.sailfish.benchmarks.jobs.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CorpusTest {
  @TempDir private Path directory;

  @Test
  void writesTheTextOfAJarIntoOneFile() throws IOException {
    Path jar = directory.resolve("words-sources.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String name : List.of("b/B.java", "logo.png", "a.xml")) {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(("text of " + name).getBytes(StandardCharsets.UTF_8));
      }
    }
    long bytes = Corpus.unpack(List.of(jar), directory.resolve("corpus"));
    Path file = directory.resolve("corpus/words-sources.txt");
    assertThat(file).hasContent("text of b/B.java\ntext of a.xml\n").hasSize(bytes);
  }
}

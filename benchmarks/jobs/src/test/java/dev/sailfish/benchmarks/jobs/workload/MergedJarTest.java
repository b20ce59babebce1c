package dev.sailfish.benchmarks.jobs.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergedJarTest {
  @TempDir private Path directory;

  private Path jar(String name, Map<String, String> entries) throws IOException {
    Path file = directory.resolve(name);
    try (OutputStream bytes = Files.newOutputStream(file);
        JarOutputStream out = new JarOutputStream(bytes)) {
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        out.putNextEntry(new JarEntry(entry.getKey()));
        out.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
        out.closeEntry();
      }
    }
    return file;
  }

  @Test
  void holdsTheEntriesOfAllAndTheFirstOfEachName() throws IOException {
    Path merged = directory.resolve("merged.jar");
    MergedJar.write(
        merged,
        List.of(
            jar("a.jar", Map.of("d/a", "1", "both", "first")),
            jar("b.jar", Map.of("b", "2", "both", "second"))));
    try (JarFile in = new JarFile(merged.toFile())) {
      assertThat(in.stream().map(JarEntry::getName)).containsExactlyInAnyOrder("d/a", "both", "b");
      assertThat(in.getInputStream(in.getEntry("both")))
          .hasBinaryContent("first".getBytes(StandardCharsets.UTF_8));
    }
  }
}

package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.junit.jupiter.api.Test;

class ModesTest {
  @Test
  void shouldKnowTheOptionsOfThisHadoop() {
    assertThat(Modes.STANDARD_READ).isEqualTo(OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS);
  }

  /** Hadoop 3.3.4, which Spark 3.5 brings, does not have this class. */
  @Test
  void shouldReferToNoClassThatAnOldHadoopDoesNotHave() throws IOException, URISyntaxException {
    String missing = OpenFileOptions.class.getName().replace('.', '/');
    Path classes =
        Path.of(
            LineageFileSystem.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Path> files;
    try (Stream<Path> walk = Files.walk(classes)) {
      files = walk.filter(file -> file.toString().endsWith(".class")).toList();
    }
    assertThat(files).hasSizeGreaterThan(10);
    for (Path file : files) {
      assertThat(refersTo(file, missing)).as("%s refers to %s", file, missing).isFalse();
    }
  }

  private static boolean refersTo(Path file, String name) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(name);
  }
}

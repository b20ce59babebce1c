package dev.sailfish.benchmarks.jobs.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartFilesTest {
  @TempDir private Path directory;
  private Path left;
  private Path right;

  @BeforeEach
  void createOutputs() throws IOException {
    left = Files.createDirectory(directory.resolve("left"));
    right = Files.createDirectory(directory.resolve("right"));
    for (Path output : new Path[] {left, right}) {
      Files.writeString(output.resolve("part-r-00000"), "a\t1\n");
      Files.writeString(output.resolve("part-r-00001"), "b\t2\n");
    }
  }

  private Optional<String> difference() throws IOException {
    return PartFiles.difference(left, right);
  }

  @Test
  void equalFilesAreEqualWhateverLiesBesideThem() throws IOException {
    Files.writeString(left.resolve("_SUCCESS"), "x");
    assertThat(difference()).isEmpty();
  }

  @Test
  void namesTheFirstDifference() throws IOException {
    Files.writeString(right.resolve("part-r-00001"), "b\t3\n");
    assertThat(difference().orElseThrow()).contains("part-r-00001").contains("byte 2");
  }

  @Test
  void aMissingFileIsADifference() throws IOException {
    Files.delete(right.resolve("part-r-00001"));
    assertThat(difference()).isPresent();
  }

  @Test
  void twoEmptyOutputsProveNothing() throws IOException {
    for (Path output : new Path[] {left, right}) {
      Files.delete(output.resolve("part-r-00000"));
      Files.delete(output.resolve("part-r-00001"));
    }
    assertThat(difference()).isPresent();
  }
}

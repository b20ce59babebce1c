package dev.sailfish.benchmarks.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FigureDirectoryTest {
  private static final Figure FIGURE =
      new Figure(
          "f", "title", "x", "s", Kind.LINES, List.of("1"), List.of(new Series("a", List.of(2.0))));

  @TempDir private Path directory;

  @Test
  void aFigureIsTwoFiles() throws IOException {
    Path figures = directory.resolve("not/there/yet");
    FigureDirectory.create(figures).write(List.of(FIGURE));
    assertThat(figures.resolve("f.csv")).hasContent(FIGURE.csv());
    assertThat(figures.resolve("f.svg")).hasContent(FIGURE.svg());
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> FigureDirectory.create(file.resolve("figures")))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageStartingWith("Cannot make the directory of --figures " + file + "/figures: ")
        .hasMessageEndingWith("name a directory that you may write to.");
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() throws IOException {
    FigureDirectory figures = FigureDirectory.create(directory);
    Path taken = Files.createDirectory(directory.resolve("f.svg"));
    assertThatThrownBy(() -> figures.write(List.of(FIGURE)))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageStartingWith("Cannot write the figure " + taken + ": ");
  }
}

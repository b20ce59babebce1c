package dev.sailfish.benchmarks.figures;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where a command's option {@code --figures} has its figures written to. */
public final class FigureDirectory {
  private final Path path;

  private FigureDirectory(Path path) {
    this.path = path;
  }

  /**
   * Makes the directory unless it is there: before a long measurement, so that nothing is measured
   * in vain.
   *
   * @throws IOException it cannot be made; the message is a sentence for the user
   */
  public static FigureDirectory create(Path path) throws IOException {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw new IOException("Cannot make the directory of --figures " + reason(path, e), e);
    }
    return new FigureDirectory(path);
  }

  /**
   * Writes {@code NAME.csv} and {@code NAME.svg} of each figure.
   *
   * @throws IOException one cannot be written; the message is a sentence for the user
   */
  public void write(List<Figure> figures) throws IOException {
    for (Figure figure : figures) {
      write(figure.name() + ".csv", figure.csv());
      write(figure.name() + ".svg", figure.svg());
    }
  }

  private void write(String name, String content) throws IOException {
    Path file = path.resolve(name);
    try {
      Files.writeString(file, content);
    } catch (IOException e) {
      throw new IOException("Cannot write the figure " + reason(file, e), e);
    }
  }

  /** Which file, why, and what to do; where there is no reason, its name says what has happened. */
  private static String reason(Path file, IOException exception) {
    String why =
        exception instanceof FileSystemException failure && failure.getReason() != null
            ? failure.getReason()
            : exception.getClass().getSimpleName();
    return "%s: %s; name a directory that you may write to.".formatted(file, why);
  }
}

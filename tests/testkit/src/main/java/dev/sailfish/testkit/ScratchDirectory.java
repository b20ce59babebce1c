package dev.sailfish.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A new directory, in memory where the machine has such a file system; closing it deletes it. */
public final class ScratchDirectory implements Closeable {
  private static final Path MEMORY = Path.of("/dev/shm");

  private final Path path;

  /**
   * Makes one.
   *
   * @param name its name begins with
   */
  public ScratchDirectory(String name) throws IOException {
    path =
        Files.isDirectory(MEMORY)
            ? Files.createTempDirectory(MEMORY, name)
            : Files.createTempDirectory(name);
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** Deletes a directory with all that is in it, if there is one. */
  public static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }
}

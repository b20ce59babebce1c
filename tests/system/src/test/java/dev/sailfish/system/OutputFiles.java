package dev.sailfish.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The part files of a job's output directory. */
public final class OutputFiles {
  private OutputFiles() {}

  /** Content by name of every {@code part-*} file. */
  public static SortedMap<String, String> read(Path directory) throws IOException {
    SortedMap<String, String> parts = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (name.startsWith("part-")) {
          parts.put(name, Files.readString(file, StandardCharsets.ISO_8859_1));
        }
      }
    }
    return parts;
  }
}

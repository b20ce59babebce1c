package dev.sailfish.benchmarks.jobs.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Real text out of jars of source code: one text file per jar, its entries one after the other. */
public final class Corpus {
  private static final Set<String> TEXT =
      Set.of("java", "scala", "proto", "xml", "html", "md", "txt", "properties", "js", "css");

  private Corpus() {}

  /**
   * Unpacks the jars.
   *
   * @param jars in the order in which the files are to be written
   * @param directory receives the files; created when missing
   * @return how many bytes of text there are
   */
  public static long unpack(List<Path> jars, Path directory) throws IOException {
    long bytes = 0;
    Files.createDirectories(directory);
    for (Path jar : jars) {
      Path file = directory.resolve(jar.getFileName().toString().replace(".jar", ".txt"));
      unpack(jar, file);
      bytes += Files.size(file);
    }
    return bytes;
  }

  private static void unpack(Path jar, Path file) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile());
        OutputStream out = Files.newOutputStream(file)) {
      for (ZipEntry entry : zip.stream().filter(Corpus::isText).toList()) {
        zip.getInputStream(entry).transferTo(out);
        out.write('\n');
      }
    }
  }

  /**
   * Writes a line per line of text: how many words that has, a blank, and its length.
   *
   * @param corpus directory of text files
   * @param directory receives as many files; created when missing
   */
  public static void measureLines(Path corpus, Path directory) throws IOException {
    try (Stream<Path> files = Files.list(corpus)) {
      Files.createDirectories(directory);
      for (Path file : files.toList()) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
          Stream<String> numbers =
              lines.map(line -> new StringTokenizer(line).countTokens() + " " + line.length());
          Files.write(directory.resolve(file.getFileName()), (Iterable<String>) numbers::iterator);
        }
      }
    }
  }

  private static boolean isText(ZipEntry entry) {
    String name = entry.getName();
    return !entry.isDirectory() && TEXT.contains(name.substring(name.lastIndexOf('.') + 1));
  }
}

package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * A program in a file. Its first line is a comment that says what it needs of a shuffle; a comment
 * line {@code unordered} says that the order of its output's lines is left open, and {@code in any
 * file} that it is left open which file a line is in, as where a program samples at random.
 *
 * @param name its kind and that of its file, without the ending
 * @param shows what it needs of a shuffle
 * @param file the script
 * @param script a checksum of it
 * @param unordered whether its output is compared sorted
 * @param inAnyFile whether its files are compared as one
 */
record Program(
    String name, String shows, Path file, String script, boolean unordered, boolean inAnyFile) {
  private static final String RESOURCES = "tests/system/src/test/resources/programs";
  private static final String COMMENT = "^(#|--) *";
  private static final String UNORDERED = "unordered";
  private static final String IN_ANY_FILE = "in any file";

  /** The directory of the programs of one kind. */
  static Path directory(String kind) {
    return SailfishCommand.projectRoot().resolve(RESOURCES).resolve(kind);
  }

  /**
   * All of one kind, in order of their names.
   *
   * @param ending of their files' names
   */
  static List<Program> all(String kind, String ending) {
    try (Stream<Path> files = Files.list(directory(kind))) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(ending))
          .sorted()
          .map(file -> of(file, ending))
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** That of a file. */
  static Program of(Path file, String ending) {
    try {
      List<String> lines = Files.readAllLines(file);
      assertThat(lines.get(0)).as("first line of %s", file).matches(COMMENT + ".*");
      String name = file.getFileName().toString();
      String kind = file.getParent().getFileName().toString();
      return new Program(
          kind + "/" + name.substring(0, name.length() - ending.length()),
          lines.get(0).replaceFirst(COMMENT, ""),
          file,
          checksum(Files.readAllBytes(file)),
          isMarked(lines, UNORDERED),
          isMarked(lines, IN_ANY_FILE));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isMarked(List<String> lines, String mark) {
    return lines.stream().anyMatch(line -> line.matches(COMMENT + mark));
  }

  /** The same somewhere else, which makes another verdict of it. */
  Program on(String where) {
    return new Program(name + " on " + where, shows, file, script, unordered, inAnyFile);
  }

  private static String checksum(byte[] script) {
    CRC32 sum = new CRC32();
    sum.update(script);
    return HexFormat.of().toHexDigits((int) sum.getValue());
  }

  @Override
  public String toString() {
    return name;
  }
}

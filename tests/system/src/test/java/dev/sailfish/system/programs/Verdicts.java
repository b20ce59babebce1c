package dev.sailfish.system.programs;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What came of programs on this code, in a file that is named by the bytes of all jars that run:
 * what has a verdict does not run again.
 */
final class Verdicts {
  /** The verdict of a run that gives what stock gives. */
  static final String EQUAL = "equal";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final int NAME_LENGTH = 16;
  private static final Pattern STARTS =
      Pattern.compile("(sailfish-(cli|local-cluster)|picocli)-.*");

  private final Path file;
  private final TreeMap<String, TreeMap<String, String>> rows = new TreeMap<>();

  private Verdicts(Path file) throws IOException {
    this.file = file;
    if (Files.exists(file)) {
      rows.putAll(JSON.readValue(file.toFile(), new TypeReference<>() {}));
    }
  }

  /** Those of a file. */
  static Verdicts in(Path file) throws IOException {
    return new Verdicts(file);
  }

  /**
   * Those of the code that is built.
   *
   * @param directory where verdicts are kept
   * @param jars directories of what runs; what only starts things does not count
   */
  static Verdicts ofThisCode(Path directory, List<Path> jars) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path jar : jars) {
        try (Stream<Path> files = Files.walk(jar)) {
          for (Path one : files.filter(Verdicts::counts).sorted().toList()) {
            digest.update(jar.relativize(one).toString().getBytes(StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(one));
          }
        }
      }
      String name = HexFormat.of().formatHex(digest.digest()).substring(0, NAME_LENGTH);
      return new Verdicts(Files.createDirectories(directory).resolve(name + ".json"));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean counts(Path file) {
    return Files.isRegularFile(file) && !STARTS.matcher(file.getFileName().toString()).matches();
  }

  /** The verdict on a program; null when it has not run. */
  synchronized String of(String program, String mode) {
    return rows.getOrDefault(program, new TreeMap<>()).get(mode);
  }

  /** Keeps a verdict, at once. */
  synchronized void put(String program, String mode, String verdict) {
    rows.computeIfAbsent(program, any -> new TreeMap<>()).put(mode, verdict);
    try {
      JSON.writeValue(file.toFile(), rows);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds all of another one. */
  synchronized void putAll(Verdicts other) {
    other.rows.forEach(
        (program, row) -> row.forEach((mode, verdict) -> put(program, mode, verdict)));
  }
}

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
 * what has a verdict does not run again, unless its script has changed.
 */
final class Verdicts {
  /** The verdict of a run that gives what stock gives. */
  static final String EQUAL = "equal";

  /** In the row of a program, beside its modes: the script that ran. */
  private static final String SCRIPT = "script";

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

  /** The verdict on a program as it is; null when it has not run. */
  synchronized String of(Program program, Mode mode) {
    TreeMap<String, String> row = rows.getOrDefault(program.name(), new TreeMap<>());
    return program.script().equals(row.get(SCRIPT)) ? row.get(mode.label()) : null;
  }

  /** Keeps a verdict, at once. */
  synchronized void put(Program program, Mode mode, String verdict) {
    TreeMap<String, String> row = rows.computeIfAbsent(program.name(), any -> new TreeMap<>());
    if (!program.script().equals(row.put(SCRIPT, program.script()))) {
      row.clear();
      row.put(SCRIPT, program.script());
    }
    row.put(mode.label(), verdict);
    try {
      JSON.writeValue(file.toFile(), rows);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds what another one has of some programs. */
  void putAll(List<Program> programs, Verdicts other) {
    for (Program program : programs) {
      for (Mode mode : Mode.OURS) {
        String verdict = other.of(program, mode);
        if (verdict != null) {
          put(program, mode, verdict);
        }
      }
    }
  }
}

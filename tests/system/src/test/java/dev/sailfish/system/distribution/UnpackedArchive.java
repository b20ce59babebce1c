package dev.sailfish.system.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The archive that the build left, unpacked elsewhere, on a machine that has a JDK and a shell with
 * a few tools: no Maven, and nothing that says where the source tree is.
 */
final class UnpackedArchive {
  private static final long DEADLINE_S = 60;
  private static final List<String> TOOLS =
      List.of("bash", "dirname", "readlink", "sed", "grep", "id");

  /** What a command did. */
  record Result(int exitCode, String output) {}

  private final Path directory;
  private final Path root;
  private final Path tools;

  private UnpackedArchive(Path directory, Path root, Path tools) {
    this.directory = directory;
    this.root = root;
    this.tools = tools;
  }

  /** The archive in the target directory of the source tree. */
  static Path archive() throws IOException {
    try (Stream<Path> files = Files.list(SailfishCommand.projectRoot().resolve("target"))) {
      List<Path> archives =
          files.filter(file -> file.getFileName().toString().endsWith(".tar.gz")).toList();
      assertThat(archives).as("one archive; older ones go with mvn clean").hasSize(1);
      return archives.get(0);
    }
  }

  /** Unpacks it below a directory. */
  static UnpackedArchive in(Path directory) throws Exception {
    Path tools = Files.createDirectory(directory.resolve("tools"));
    for (String tool : TOOLS) {
      Path script = tools.resolve(tool);
      Files.writeString(script, "#!/bin/sh\nexec " + find(tool) + " \"$@\"\n");
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }
    Path into = Files.createDirectory(directory.resolve("opt"));
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive().toString(), "-C", into.toString()).start();
    assertThat(tar.waitFor(DEADLINE_S, TimeUnit.SECONDS)).isTrue();
    assertThat(tar.exitValue()).isZero();
    try (Stream<Path> roots = Files.list(into)) {
      return new UnpackedArchive(directory, roots.toList().get(0), tools);
    }
  }

  private static Path find(String tool) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(directory -> Path.of(directory, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  /** The directory that was unpacked. */
  Path root() {
    return root;
  }

  /** Its files, as paths below {@link #root}. */
  List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  /** Starts one of its scripts; what it prints goes to a file of this name and {@code .out}. */
  Process start(String script, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(root.resolve("bin").resolve(script).toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    Map<String, String> variables = new HashMap<>();
    variables.put("PATH", tools.toString());
    variables.put("JAVA_HOME", System.getProperty("java.home"));
    variables.putAll(environment);
    builder.environment().clear();
    builder.environment().putAll(variables);
    builder.redirectErrorStream(true).redirectOutput(output(script).toFile());
    return builder.start();
  }

  /** What a script printed that was started last. */
  Path output(String script) {
    return directory.resolve(script + ".out");
  }

  /** Runs a script to its end. */
  Result run(String script, Map<String, String> environment, String... arguments) throws Exception {
    Process process = start(script, environment, arguments);
    try {
      boolean ended = process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
      String output = Files.readString(output(script));
      assertThat(ended).as("%s %s ended: %s", script, List.of(arguments), output).isTrue();
      return new Result(process.exitValue(), output);
    } finally {
      process.destroyForcibly();
    }
  }

  /** The same with nothing more in the environment. */
  Result run(String script, String... arguments) throws Exception {
    return run(script, Map.of(), arguments);
  }
}

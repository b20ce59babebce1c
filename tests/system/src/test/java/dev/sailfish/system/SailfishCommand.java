package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code bin/sailfish} as a person types it, on a cluster directory of its own. */
public final class SailfishCommand {
  /** What a command did. */
  public record Result(int exitCode, String output, Duration took) {}

  private final Path root;
  private final Path home;
  private final Map<String, String> environment;

  /** A command that keeps its cluster in {@code cluster} below {@code home}. */
  public SailfishCommand(Path home) {
    this(home, Map.of());
  }

  /** The same with further variables in the environment. */
  public SailfishCommand(Path home, Map<String, String> environment) {
    this.root = projectRoot();
    this.home = home;
    this.environment = Map.copyOf(environment);
  }

  /** The directory that holds {@code bin/sailfish}. */
  public static Path projectRoot() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("bin/sailfish"))) {
      directory = directory.getParent();
      assertThat(directory).as("a parent directory with bin/sailfish").isNotNull();
    }
    return directory;
  }

  /** The one jar in a module's target directory. */
  public static Path jarOf(String module, String artifact) throws IOException {
    try (Stream<Path> files = Files.list(projectRoot().resolve(module).resolve("target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches(artifact + "-[0-9].*\\.jar"))
          .filter(file -> !file.getFileName().toString().contains("sources"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** The secret of the local cluster. */
  public Path secret() {
    return home.resolve("cluster/secret");
  }

  /** The jar of Hadoop's example jobs. */
  public Path examples() {
    return root.resolve("benchmarks/jobs/target/dist/examples/hadoop-mapreduce-examples.jar");
  }

  /** Runs a command to its end. */
  public Result run(Duration deadline, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(root.resolve("bin/sailfish").toString()));
    command.addAll(arguments);
    Path log = Files.createTempFile(home, "command", ".log");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SAILFISH_HOME_DIR", home.resolve("cluster").toString());
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    long startNs = System.nanoTime();
    Process process = builder.start();
    boolean ended = process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    String output = Files.readString(log, StandardCharsets.UTF_8);
    assertThat(ended).as("%s ended within %s; it printed: %s", command, deadline, output).isTrue();
    return new Result(process.exitValue(), output, Duration.ofNanos(System.nanoTime() - startNs));
  }

  /** Runs a command that must succeed. */
  public Result succeed(Duration deadline, String... arguments) throws Exception {
    Result result = run(deadline, List.of(arguments));
    assertThat(result.exitCode()).as("%s: %s", List.of(arguments), result.output()).isZero();
    return result;
  }
}

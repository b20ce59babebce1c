package dev.sailfish.system.spark;

import dev.sailfish.system.SailfishCommand;
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

/**
 * A Spark as its Python package brings it, with a Hadoop client of its own.
 *
 * @param spark its version
 * @param hadoop the client's
 */
record SparkVersion(String spark, String hadoop) {
  /** Those that are supported. */
  static final List<SparkVersion> ALL =
      List.of(new SparkVersion("3.5.9", "3.3.4"), new SparkVersion("4.1.4", "3.4.2"));

  private static final String DIRECTORY = System.getProperty("sailfish.spark", "");

  private Path home() {
    return Path.of(DIRECTORY).resolve(spark);
  }

  /** Why it cannot run here; null when it can. */
  String missing() {
    return Files.exists(home().resolve("complete"))
        ? null
        : "no Spark %s: .ci/spark DIR fetches it, and -Dsailfish.spark=DIR says so"
            .formatted(spark);
  }

  /** The jars that Spark's processes have on their class path. */
  List<Path> jars() throws IOException {
    try (Stream<Path> all = Files.walk(home())) {
      return all.filter(path -> path.toString().matches(".*/pyspark/jars/[^/]+[.]jar")).toList();
    }
  }

  /**
   * Runs a script with the client jar to its end, which must be a good one.
   *
   * @param keys of Hadoop's configuration
   * @param directory for what it writes, and its working directory
   */
  void submit(Map<String, String> keys, Path directory, Duration deadline, List<String> script)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(home().resolve("bin/spark-submit").toString()));
    // Four attempts of a task; the second compiler does not pay off.
    command.addAll(List.of("--master", "local[2,4]", "--jars", clientJar().toString()));
    command.addAll(List.of("--driver-java-options", "-XX:TieredStopAtLevel=1"));
    setting(command, "spark.ui.enabled", "false");
    setting(command, "spark.driver.host", "127.0.0.1");
    setting(command, "spark.driver.bindAddress", "127.0.0.1");
    setting(command, "spark.local.dir", directory.resolve("local").toString());
    setting(command, "spark.sql.warehouse.dir", directory.resolve("warehouse").toUri().toString());
    setting(command, "spark.sql.shuffle.partitions", "2");
    keys.forEach((key, value) -> setting(command, "spark.hadoop." + key, value));
    command.addAll(script);
    Path log = directory.resolve("spark.log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(key -> key.matches("(PY)?SPARK_.*|HADOOP_.*"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder
        .environment()
        .merge("PATH", home().resolve("bin").toString(), (path, first) -> first + ":" + path);
    run(builder, log, deadline);
  }

  private static void setting(List<String> command, String key, String value) {
    command.addAll(List.of("--conf", key + "=" + value));
  }

  private void run(ProcessBuilder builder, Path log, Duration deadline) throws Exception {
    Process process = builder.start();
    boolean ended = process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    if (!ended || process.exitValue() != 0) {
      List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
      String tail = String.join("\n", lines.subList(Math.max(0, lines.size() - 80), lines.size()));
      throw new AssertionError(
          "%s %s; its output ends:%n%s"
              .formatted(
                  this, ended ? "failed with " + process.exitValue() : "hangs: " + deadline, tail));
    }
  }

  /** The jar that a job brings. */
  static Path clientJar() {
    return SailfishCommand.projectRoot()
        .resolve("hadoop-plugin/cli/target/dist/client/sailfish-client.jar");
  }

  @Override
  public String toString() {
    return "Spark " + spark + " with Hadoop " + hadoop;
  }
}

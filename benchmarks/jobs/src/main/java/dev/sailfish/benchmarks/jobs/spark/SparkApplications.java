package dev.sailfish.benchmarks.jobs.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs the script {@code jobs.py} beside this class with a Spark of the user's, each time in a
 * process of its own with two task threads.
 */
public final class SparkApplications {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long DEADLINE_S = 1200;
  private static final int TAIL_LINES = 30;

  private final Path home;
  private final Path work;
  private final Path hadoopConf;
  private final String jars;
  private final Map<String, String> settings = new TreeMap<>();

  /**
   * Checks that there is a Spark, and writes the script.
   *
   * @param home with {@code bin/spark-submit} in it
   * @param work for files of this class and of Spark
   * @param hadoopConf a directory with {@code core-site.xml}
   * @param jars that applications have beside Spark's own
   */
  public SparkApplications(Path home, Path work, Path hadoopConf, List<Path> jars)
      throws IOException {
    this.home = home.toAbsolutePath();
    this.work = Files.createDirectories(work);
    this.hadoopConf = hadoopConf;
    this.jars = String.join(",", jars.stream().map(Path::toString).toList());
    if (!Files.isExecutable(this.home.resolve("bin/spark-submit"))) {
      throw new CommandException(
          "There is no bin/spark-submit in "
              + this.home
              + ": let --spark name an environment of Python with the package pyspark (.ci/spark DIR"
              + " makes two), or what Spark's archive has.");
    }
    try (InputStream script = SparkApplications.class.getResourceAsStream("jobs.py")) {
      Files.write(script(), script.readAllBytes());
    }
    set("spark.ui.enabled", "false");
    set("spark.driver.host", "127.0.0.1");
    set("spark.driver.bindAddress", "127.0.0.1");
    set("spark.local.dir", work.resolve("local").toString());
    set("spark.sql.warehouse.dir", work.resolve("warehouse").toUri().toString());
    set("spark.sql.shuffle.partitions", "2");
    set("spark.sql.files.maxPartitionBytes", "32m");
  }

  /** Sets a key of Spark's configuration for all that follow; null: as Spark has it. */
  public void set(String key, String value) {
    if (value == null) {
      settings.remove(key);
    } else {
      settings.put(key, value);
    }
  }

  private Path script() {
    return work.resolve("jobs.py");
  }

  /**
   * Runs the script to its end.
   *
   * @return what it says
   * @throws CommandException when it fails or hangs, with the end of what it has printed
   */
  public JsonNode run(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/spark-submit").toString()));
    command.addAll(List.of("--master", "local[2]", "--jars", jars));
    settings.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    command.add(script().toString());
    command.addAll(arguments);
    Path log = work.resolve("spark.log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(key -> key.matches("(PY)?SPARK_.*"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("HADOOP_CONF_DIR", hadoopConf.toString());
    environment.merge("PATH", home.resolve("bin").toString(), (path, first) -> first + ":" + path);
    boolean good = succeeds(builder);
    List<String> said = Files.readAllLines(log, StandardCharsets.UTF_8);
    if (!good || said.isEmpty()) {
      throw new CommandException(
          "Spark failed with "
              + String.join(" ", arguments)
              + ". What it printed ends:\n"
              + String.join(
                  "\n", said.subList(Math.max(0, said.size() - TAIL_LINES), said.size())));
    }
    return parsed(said);
  }

  private static boolean succeeds(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    try {
      return process.waitFor(DEADLINE_S, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while Spark ran");
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** The last line that is JSON: the JVM may say something at its end. */
  private static JsonNode parsed(List<String> said) {
    for (int i = said.size() - 1; i >= 0; i--) {
      if (said.get(i).startsWith("{")) {
        try {
          return JSON.readTree(said.get(i));
        } catch (JsonProcessingException e) {
          throw new CommandException("Spark printed no JSON: " + said.get(i), e);
        }
      }
    }
    throw new CommandException("Spark printed no JSON, but: " + said.get(said.size() - 1));
  }
}

package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.localcluster.SiteFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A node where people start programs: Hadoop's jars, commands on the path, and a configuration
 * directory.
 */
final class EdgeNode {
  private static final Pattern PROPERTY =
      Pattern.compile("(?m)^<property><name>(.*?)</name><value>(.*?)</value></property>$");
  private static final String CLASS_PATH = "mapreduce.application.classpath";
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final int LOG_LINES = 60;

  private final Mode mode;
  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();

  private EdgeNode(Mode mode, Path directory) {
    this.mode = mode;
    this.directory = directory;
  }

  /**
   * Makes one.
   *
   * @param directory gets the configuration and logs
   * @param cluster the configuration directory of a cluster
   * @param env what {@code sailfish env} prints for that cluster
   */
  static EdgeNode create(Path directory, Path cluster, String env, Mode mode, Version version)
      throws IOException {
    EdgeNode node = new EdgeNode(mode, Files.createDirectories(directory));
    Path conf = Files.createDirectories(directory.resolve("conf"));
    try (Stream<Path> files = Files.list(cluster)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, conf.resolve(file.getFileName()));
      }
    }
    Path site = cluster.resolve("mapred-site.xml");
    Map<String, String> keys = version.flags(mode.keys(pluginKeys(env)));
    keys.putAll(version.keys());
    SiteFile.write(conf.resolve("mapred-site.xml"), Optional.of(site), keys);
    node.environment.put("HADOOP_CONF_DIR", conf.toString());
    node.environment.put("HADOOP_HOME", version.hadoopHome().toString());
    node.environment.put("JAVA_HOME", version.javaHome().toString());
    node.environment.put("TZ", "UTC");
    return node;
  }

  /** What an operator pastes; a local cluster has the class path itself. */
  private static Map<String, String> pluginKeys(String env) {
    Map<String, String> keys = new HashMap<>();
    Matcher matcher = PROPERTY.matcher(env);
    while (matcher.find()) {
      keys.put(matcher.group(1), matcher.group(2));
    }
    assertThat(keys).containsKey("mapreduce.job.reduce.shuffle.consumer.plugin.class");
    keys.remove(CLASS_PATH);
    return keys;
  }

  /** Sets keys over all others, for this node only: each part of Hadoop has a file of its own. */
  void override(Map<String, String> keys) throws IOException {
    Path conf = directory.resolve("conf");
    for (String site : List.of("core-site.xml", "mapred-site.xml", "yarn-site.xml")) {
      Path before = conf.resolve("before-" + site);
      Files.move(conf.resolve(site), before);
      SiteFile.write(conf.resolve(site), Optional.of(before), keys);
    }
  }

  /** How its programs run. */
  Mode mode() {
    return mode;
  }

  /** Its own, for whatever is needed. */
  Path directory() {
    return directory;
  }

  /** Adds variables to the environment of programs. */
  void set(Map<String, String> more) {
    environment.putAll(more);
  }

  /**
   * Runs a command, which must succeed.
   *
   * @param work its working directory
   * @param more variables of its environment
   */
  void run(Path work, Map<String, String> more, List<String> command) throws Exception {
    Path log = Files.createTempFile(directory, "command", ".log");
    assertThat(exitCode(work, more, log, command))
        .as(() -> "exit code of %s:%n%s".formatted(command, end(log)))
        .isZero();
  }

  /**
   * Runs a command, which must fail; the same otherwise.
   *
   * @return what it printed
   */
  String runToFailure(Path work, Map<String, String> more, List<String> command) throws Exception {
    Path log = Files.createTempFile(directory, "command", ".log");
    assertThat(exitCode(work, more, log, command)).as("exit code of %s", command).isNotZero();
    return Files.readString(log);
  }

  private int exitCode(Path work, Map<String, String> more, Path log, List<String> command)
      throws Exception {
    Process process = start(work, more, log, command);
    boolean ended = process.waitFor(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    assertThat(ended).as("%s ended within %s:%n%s", command, DEADLINE, end(log)).isTrue();
    return process.exitValue();
  }

  /**
   * Starts a command: one of the node's own, or of the machine.
   *
   * @param work its working directory
   * @param more variables of its environment
   * @param log gets what it prints
   */
  Process start(Path work, Map<String, String> more, Path log, List<String> command)
      throws IOException {
    List<String> located = new ArrayList<>(command);
    Path own = Program.directory("bin").resolve(command.get(0));
    if (Files.exists(own)) {
      located.set(0, own.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(located);
    builder.directory(work.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    Map<String, String> variables = builder.environment();
    variables.putAll(environment);
    variables.putAll(more);
    String commands = Program.directory("bin") + ":" + environment.get("JAVA_HOME") + "/bin:";
    variables.merge("PATH", commands, (path, first) -> first + path);
    return builder.start();
  }

  /** The last lines of a log. */
  static String end(Path log) {
    List<String> lines;
    try {
      lines = Files.readAllLines(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }
}

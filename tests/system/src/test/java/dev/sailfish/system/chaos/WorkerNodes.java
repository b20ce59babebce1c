package dev.sailfish.system.chaos;

import static org.awaitility.Awaitility.await;

import dev.sailfish.localcluster.RestClient;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Further NodeManagers beside the one of a local cluster, each a host of its own to YARN, by an
 * address of the loopback interface. With one host an ApplicationMaster that blacklists it goes on
 * to use it (a third of the hosts is the most that it does without), so that blacklisting could not
 * do any harm.
 */
final class WorkerNodes {
  private static final Duration START = Duration.ofSeconds(90);
  private static final Duration END = Duration.ofSeconds(30);
  private static final int FIRST_HOST = 11;

  private final List<RunningProcess> processes = new ArrayList<>();

  private WorkerNodes() {}

  /**
   * Starts them and waits until the ResourceManager knows them.
   *
   * @param home the cluster's directory
   * @param pid of the NodeManager that runs already
   * @param count how many there are to be besides
   */
  static WorkerNodes start(Path home, long pid, int count, RestClient resourceManager)
      throws IOException, InterruptedException {
    WorkerNodes nodes = new WorkerNodes();
    boolean good = false;
    try {
      for (int number = 0; number < count; number++) {
        nodes.startOne(home, pid, "127.0.0." + (FIRST_HOST + number));
      }
      await()
          .atMost(START)
          .pollInterval(Duration.ofMillis(300))
          .alias("the ResourceManager knows nodes=" + (count + 1))
          .until(() -> running(resourceManager) == count + 1);
      good = true;
      return nodes;
    } finally {
      if (!good) {
        nodes.stop();
      }
    }
  }

  private static int running(RestClient resourceManager) {
    return resourceManager
        .get("/ws/v1/cluster/nodes?states=RUNNING")
        .map(answer -> RestClient.elements(answer.path("nodes").path("node")).size())
        .orElse(0);
  }

  private void startOne(Path home, long pid, String host) throws IOException {
    Path before = home.resolve("conf");
    Path conf = Files.createDirectories(home.resolve("conf-" + host));
    configure(before, conf, home, host);
    List<String> words = new ArrayList<>(List.of("setsid"));
    for (String word : RunningProcess.words(pid, "cmdline")) {
      words.add(word.replace(before + ":", conf + ":"));
    }
    Map<String, String> environment = new HashMap<>();
    for (String variable : RunningProcess.words(pid, "environ")) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    environment.put("HADOOP_CONF_DIR", conf.toString());
    File log = home.resolve("logs").resolve("nodemanager-" + host + ".log").toFile();
    ProcessBuilder builder = new ProcessBuilder(words).directory(home.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
    long started = builder.start().pid();
    processes.add(
        RunningProcess.read(started)
            .orElseThrow(() -> new IOException("NodeManager of " + host + " ended, see " + log)));
  }

  /** The configuration of the first NodeManager with another host, other ports and directories. */
  private static void configure(Path before, Path conf, Path home, String host) throws IOException {
    try (Stream<Path> files = Files.list(before)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, conf.resolve(file.getFileName()));
      }
    }
    Path data = home.resolve("data");
    rewrite(
        conf.resolve("yarn-site.xml"),
        Map.of(
            "yarn.nodemanager.hostname",
            host,
            "yarn.nodemanager.address",
            host + ":0",
            "yarn.nodemanager.localizer.address",
            host + ":0",
            "yarn.nodemanager.webapp.address",
            host + ":0",
            "yarn.nodemanager.local-dirs",
            data.resolve("nodemanager-" + host).toString(),
            "yarn.nodemanager.log-dirs",
            home.resolve("logs/containers-" + host).toString()));
    rewrite(conf.resolve("mapred-site.xml"), Map.of("mapreduce.shuffle.port", "0"));
  }

  private static void rewrite(Path site, Map<String, String> settings) throws IOException {
    Configuration properties = new Configuration(false);
    properties.addResource(site.toUri().toURL());
    settings.forEach(properties::set);
    properties.size(); // reads the file before it is written over
    try (OutputStream out = Files.newOutputStream(site)) {
      properties.writeXml(out);
    }
  }

  /** Ends them and waits until they have ended. */
  void stop() throws IOException, InterruptedException {
    for (RunningProcess process : processes) {
      process.signal("TERM");
    }
    for (RunningProcess process : processes) {
      await()
          .atMost(END)
          .alias("NodeManager pid=" + process.pid() + " ends")
          .until(() -> !process.isRunning());
    }
  }
}

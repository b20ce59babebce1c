package dev.sailfish.system.chaos;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.localcluster.RestClient;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * One of Sailfish's daemons, as a process that can be ended and started again with the same
 * command, directory and environment. Thread-safe; {@link #end} and {@link #start} exclude each
 * other.
 */
final class Daemon {
  private static final Duration START_DEADLINE = Duration.ofSeconds(60);

  /** SIGTERM lets a running sort end, which may take 45 s. */
  private static final Duration END_DEADLINE = Duration.ofSeconds(75);

  private final String name;
  private final InetSocketAddress address;
  private final RestClient web;
  private final Path log;
  private final List<String> command;
  private final Map<String, String> environment = new HashMap<>();
  private final Path directory;
  private volatile RunningProcess process;

  /** Takes over a running daemon from the record in a cluster's state file. */
  Daemon(JsonNode record) throws IOException {
    name = record.path("name").asText();
    String[] hostAndPort = record.path("address").asText().split(":");
    address = new InetSocketAddress(hostAndPort[0], Integer.parseInt(hostAndPort[1]));
    web = new RestClient(record.path("web").asText());
    log = Path.of(record.path("log").asText());
    long pid = record.path("pid").asLong();
    process = RunningProcess.read(pid).orElseThrow();
    command = process.arguments();
    directory = Path.of("/proc", Long.toString(pid), "cwd").toRealPath();
    for (String variable : RunningProcess.words(pid, "environ")) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
  }

  String name() {
    return name;
  }

  /** Where it listens. */
  InetSocketAddress address() {
    return address;
  }

  Path log() {
    return log;
  }

  RunningProcess process() {
    return process;
  }

  boolean isRunning() {
    return process.isRunning();
  }

  /** Sends a signal and waits until the process has ended. */
  synchronized void end(String signal) throws IOException, InterruptedException {
    process.signal(signal);
    await()
        .atMost(END_DEADLINE)
        .pollInterval(Duration.ofMillis(50))
        .alias(name + " pid=" + process.pid() + " ends after SIG" + signal)
        .until(() -> !process.isRunning());
  }

  /** Starts it as it was started before, and waits until it serves. */
  synchronized void start() throws IOException {
    if (process.isRunning()) {
      return;
    }
    List<String> words = new ArrayList<>(command);
    words.add(0, "setsid"); // the terminal's signals are not for it
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    long pid = builder.start().pid();
    process = RunningProcess.read(pid).orElseThrow(() -> new IOException(name + " ended at once"));
    await()
        .atMost(START_DEADLINE)
        .pollInterval(Duration.ofMillis(100))
        .alias(name + " serves again, see " + log)
        .until(this::serves);
  }

  /** Whether it answers, and, if it is a chunkserver, its metaserver knows it. */
  boolean serves() {
    return status()
        .map(
            status ->
                !status.has("chunkserver_heartbeats")
                    || status.path("chunkserver_heartbeats").asLong() > 0)
        .orElse(false);
  }

  /** What its web page says, if it answers. */
  Optional<JsonNode> status() {
    return web.get("/status");
  }

  /** The file that configures it: the last word of its command. */
  private Path propertiesFile() {
    return Path.of(command.get(command.size() - 1));
  }

  /** What is set in its properties file. */
  Properties properties() throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(Files.readString(propertiesFile())));
    return properties;
  }

  /** Replaces the properties file; holds from the next start on. */
  void configure(Properties properties) throws IOException {
    StringWriter text = new StringWriter();
    properties.store(text, null);
    Files.writeString(propertiesFile(), text.toString());
  }

  @Override
  public String toString() {
    return name;
  }
}

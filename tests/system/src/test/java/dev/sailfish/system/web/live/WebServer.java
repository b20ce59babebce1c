package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.system.SailfishCommand;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The web process by itself, as an operator starts it. One thread at a time. */
final class WebServer implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(120);
  private static final Duration END = Duration.ofSeconds(60);

  private final Path properties;
  private final Path log;
  private final int port;
  private final Map<String, String> environment;
  private Process process;

  private WebServer(Path properties, Path log, int port, Map<String, String> environment) {
    this.properties = properties;
    this.log = log;
    this.port = port;
    this.environment = Map.copyOf(environment);
  }

  /**
   * Starts one and waits until it serves.
   *
   * @param directory gets its files
   * @param keys besides those of its port
   */
  static WebServer start(Path directory, Map<String, String> keys) throws IOException {
    return start(directory, keys, Map.of());
  }

  /**
   * The same with further variables in its environment.
   *
   * @param directory gets its files
   * @param keys besides those of its port
   */
  static WebServer start(Path directory, Map<String, String> keys, Map<String, String> environment)
      throws IOException {
    int port = FreePort.next();
    StringBuilder text = new StringBuilder();
    text.append("sailfish.web.bind=127.0.0.1\nsailfish.web.port=").append(port).append('\n');
    keys.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    Path file = Files.writeString(directory.resolve("web.properties"), text);
    WebServer server = new WebServer(file, directory.resolve("web.log"), port, environment);
    server.start();
    return server;
  }

  /** Starts it again on its port and with its directories. */
  void start() throws IOException {
    String command = SailfishCommand.projectRoot().resolve("bin/sailfish-web").toString();
    ProcessBuilder builder =
        new ProcessBuilder(command, properties.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    process = builder.start();
    await("the web process").atMost(START).until(this::isReady);
  }

  private boolean isReady() throws IOException {
    String said = Files.readString(log);
    assertThat(process.isAlive()).as(said).isTrue();
    return said.contains("web ready 127.0.0.1:" + port);
  }

  /** {@code http://host:port}. */
  String address() {
    return "http://127.0.0.1:" + port;
  }

  /** The same by the host's name, for which there are tickets. */
  String named() {
    return "http://localhost:" + port;
  }

  /** Ends it with SIGKILL. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  private void awaitEnd() {
    await("the end of the web process").atMost(END).until(() -> !process.isAlive());
  }

  @Override
  public void close() {
    process.destroy();
    awaitEnd();
  }
}

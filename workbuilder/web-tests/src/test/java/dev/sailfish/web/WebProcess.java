package dev.sailfish.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.testkit.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** The packaged web process, and a client of it. For one thread. */
final class WebProcess implements Closeable {
  static final Duration DEADLINE = Duration.ofSeconds(60);

  private static final Duration POLL = Duration.ofMillis(100);
  private static final String KERBEROS = "java.security.krb5.conf";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path directory;
  private final Map<String, String> settings;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port = FreePort.next();
  private Process process;

  private WebProcess(Path directory, Map<String, String> settings) {
    this.directory = directory;
    this.settings = settings;
  }

  /**
   * Starts one, and waits until it serves.
   *
   * @param directory for its files; another one started there has the same history
   * @param settings by key, without what all keys begin with
   */
  static WebProcess start(Path directory, Map<String, String> settings) throws IOException {
    WebProcess web = new WebProcess(directory, settings);
    web.process = web.run(web.command(web.write().toString()));
    Awaitility.await("the web process")
        .atMost(DEADLINE)
        .pollInterval(POLL)
        .until(() -> web.log().contains("web ready 127.0.0.1:" + web.port));
    return web;
  }

  /** A file with a token, as the process wants it. */
  static Path tokenFile(Path file, String token) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, token + "\n");
  }

  private Path write() throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("sailfish.web.bind=127.0.0.1\nsailfish.web.port=").append(port).append('\n');
    text.append("sailfish.web.history.dir=").append(directory.resolve("history")).append('\n');
    settings.forEach((key, value) -> text.append("sailfish.web." + key + "=" + value + "\n"));
    return Files.writeString(directory.resolve("web.properties"), text.toString());
  }

  private List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx192m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    String kerberos = System.getProperty(KERBEROS);
    if (kerberos != null) {
      command.add("-D" + KERBEROS + "=" + kerberos);
    }
    command.add("-jar");
    command.add(Path.of(System.getProperty("sailfish.web.app"), "quarkus-run.jar").toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private Process run(List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("log").toFile())
        .start();
  }

  /** Runs the process to its end with these arguments. */
  static int exitCode(Path directory, String... arguments) throws Exception {
    WebProcess web = new WebProcess(directory, Map.of());
    Process process = web.run(web.command(arguments));
    if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException("it did not end: " + List.of(arguments));
    }
    return process.exitValue();
  }

  String log() throws IOException {
    return Files.readString(directory.resolve("log"));
  }

  String base() {
    return "http://127.0.0.1:" + port;
  }

  /** An address of a process with TLS. */
  URI secure(String path) {
    return URI.create("https://127.0.0.1:" + port + path);
  }

  long pid() {
    return process.pid();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base() + path)).timeout(DEADLINE);
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = request(path);
    return send(headers.length == 0 ? request.build() : request.headers(headers).build());
  }

  HttpResponse<String> post(String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    return send(headers.length == 0 ? request.build() : request.headers(headers).build());
  }

  JsonNode json(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(path + " answers " + answer.statusCode() + answer.body());
    }
    return JSON.readTree(answer.body());
  }

  static JsonNode parsed(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body());
  }

  /** What a path answers with when it is as a test waits for. */
  JsonNode await(String path, Predicate<JsonNode> condition) {
    AtomicReference<JsonNode> last = new AtomicReference<>();
    Awaitility.await(path)
        .atMost(DEADLINE)
        .pollInterval(POLL)
        .until(
            () -> {
              HttpResponse<String> answer = get(path);
              last.set(JSON.readTree(answer.body()));
              return answer.statusCode() == 200 && condition.test(last.get());
            });
    return last.get();
  }

  /** Ends it as a supervisor does. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("it did not stop");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

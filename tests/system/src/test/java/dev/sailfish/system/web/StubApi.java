package dev.sailfish.system.web;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sailfish.system.SailfishCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Serves the pages of the source tree and answers of the API that a test sets, with the headers of
 * the web process. What has no answer is 404. Threads: any; a request waits 20 s at most.
 */
final class StubApi implements AutoCloseable {
  private static final String API = "/api/v1";
  private static final String EVENT_PATH = "/events";
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");
  private static final byte[] END = new byte[0];

  private record Answer(int status, byte[] body) {}

  private record EventStream(String topic, BlockingQueue<byte[]> events) {}

  private final ObjectMapper json = new ObjectMapper();
  private final Path pages =
      SailfishCommand.projectRoot()
          .resolve("workbuilder/web/src/main/resources/META-INF/resources");
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
  private final List<EventStream> streams = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "stub-api");
            thread.setDaemon(true);
            return thread;
          });
  private final HttpServer server;
  private volatile boolean silent;
  private volatile String token;

  private StubApi(HttpServer server) {
    this.server = server;
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  static StubApi start() throws IOException {
    return new StubApi(
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
  }

  /** Where a path of the pages is. */
  String address(String path) {
    return "http://localhost:" + server.getAddress().getPort() + path;
  }

  /** Forgets all answers and requests, and lets everything through again. */
  void clear() {
    silent = false;
    token = null;
    held.values().forEach(CountDownLatch::countDown);
    held.clear();
    endStreams();
    answers.clear();
    requests.clear();
  }

  /** What a path below the API answers from now on; clients of its event stream get it, too. */
  void answer(String path, Object body) {
    byte[] written = write(body);
    answers.put(path, new Answer(200, written));
    String topic = topicOf(path);
    for (EventStream stream : streams) {
      if (stream.topic().equals(topic)) {
        stream.events().add(written);
      }
    }
  }

  /** Has a path fail. */
  void fail(String path, int status, String title, String detail) {
    answers.put(path, new Answer(status, problem(status, title, detail)));
  }

  /** Has requests for a path wait, for 20 s at most, until {@link #release}. */
  void hold(String path) {
    held.put(path, new CountDownLatch(1));
  }

  void release(String path) {
    CountDownLatch latch = held.remove(path);
    if (latch != null) {
      latch.countDown();
    }
  }

  /** Drops every connection that asks for anything of the API, as a process that is gone. */
  void silence(boolean on) {
    silent = on;
    if (on) {
      endStreams();
    }
  }

  /** Has the API ask for a token. */
  void wantToken(String wanted) {
    token = wanted;
  }

  /** Paths with their query that were asked for below the API, in order. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  /** How many event streams are open for a topic. */
  long streams(String topic) {
    return streams.stream().filter(stream -> stream.topic().equals(topic)).count();
  }

  @Override
  public void close() {
    clear();
    server.stop(0);
    threads.shutdownNow();
  }

  private void endStreams() {
    streams.forEach(stream -> stream.events().add(END));
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      String path = exchange.getRequestURI().getPath();
      if (path.equals("/login")) {
        login(exchange);
      } else if (path.startsWith(API + "/")) {
        api(exchange);
      } else {
        file(exchange, path);
      }
    }
  }

  private void api(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath().substring(API.length());
    String query = exchange.getRequestURI().getRawQuery();
    String whole =
        query == null ? path : path + "?" + URLDecoder.decode(query, StandardCharsets.UTF_8);
    if (silent) {
      return; // closed without an answer
    }
    requests.add(whole);
    await(path);
    if (!mayAsk(exchange)) {
      send(exchange, 401, "application/problem+json", problem(401, "Unauthorized", ""));
    } else if (path.equals(EVENT_PATH)) {
      stream(exchange, whole.substring(whole.indexOf('=') + 1));
    } else {
      Answer missing = new Answer(404, problem(404, "Not Found", "There is no " + path + "."));
      Answer answer = answers.getOrDefault(whole, answers.getOrDefault(path, missing));
      String type = answer.status() == 200 ? "application/json" : "application/problem+json";
      send(exchange, answer.status(), type, answer.body());
    }
  }

  private void await(String path) {
    CountDownLatch latch = held.get(path);
    if (latch != null) {
      try {
        latch.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean mayAsk(HttpExchange exchange) {
    String wanted = token;
    List<String> cookies = exchange.getRequestHeaders().getOrDefault("Cookie", List.of());
    return wanted == null || cookies.stream().anyMatch(cookie -> cookie.contains("=" + wanted));
  }

  private void login(HttpExchange exchange) throws IOException {
    String given = json.readTree(exchange.getRequestBody()).path("token").asText();
    if (given.equals(token)) {
      exchange
          .getResponseHeaders()
          .set("Set-Cookie", "sailfish=" + given + "; HttpOnly; SameSite=Strict; Path=/");
      exchange.sendResponseHeaders(204, -1);
    } else {
      send(exchange, 401, "application/problem+json", problem(401, "Unauthorized", ""));
    }
  }

  private void stream(HttpExchange exchange, String topic) throws IOException {
    Answer first = answers.get(pathOf(topic));
    EventStream stream = new EventStream(topic, new LinkedBlockingQueue<>());
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    streams.add(stream);
    try (OutputStream out = exchange.getResponseBody()) {
      if (first != null && first.status() == 200) {
        send(out, topic, first.body());
      }
      byte[] event = stream.events().poll(60, TimeUnit.SECONDS);
      while (event != null && event.length > 0) {
        send(out, topic, event);
        event = stream.events().poll(60, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      streams.remove(stream);
    }
  }

  private static void send(OutputStream out, String topic, byte[] body) throws IOException {
    out.write(("event: " + topic + "\ndata: ").getBytes(StandardCharsets.UTF_8));
    out.write(body);
    out.write("\n\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static String pathOf(String topic) {
    return topic.startsWith("job:") ? "/jobs/" + topic.substring(4) : "/" + topic;
  }

  private static String topicOf(String path) {
    return path.startsWith("/jobs/") ? "job:" + path.substring(6) : path.substring(1);
  }

  private void file(HttpExchange exchange, String path) throws IOException {
    String name = path.startsWith("/app/") || path.startsWith("/favicon") ? path : "/index.html";
    byte[] body;
    if (path.startsWith("/webjars/")) {
      name = path;
      body = fromJar(path);
    } else {
      Path file = pages.resolve(name.substring(1)).normalize();
      body = file.startsWith(pages) && Files.isRegularFile(file) ? Files.readAllBytes(file) : null;
    }
    if (body == null) {
      send(exchange, 404, "text/plain", new byte[0]);
    } else {
      String ending = name.substring(name.lastIndexOf('.') + 1);
      send(exchange, 200, TYPES.getOrDefault(ending, "application/octet-stream"), body);
    }
  }

  private static byte[] fromJar(String path) throws IOException {
    try (InputStream in =
        StubApi.class.getClassLoader().getResourceAsStream("META-INF/resources" + path)) {
      return in == null ? null : in.readAllBytes();
    }
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }

  private byte[] problem(int status, String title, String detail) {
    return write(Map.of("type", "about:blank", "title", title, "status", status, "detail", detail));
  }

  private byte[] write(Object body) {
    try {
      return json.writeValueAsBytes(body);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + body, e);
    }
  }
}

package dev.sailfish.transport;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What people and monitoring see of a server over HTTP, read-only:
 *
 * <ul>
 *   <li>{@code /health}: 200 and {@code ok} while the server runs
 *   <li>{@code /metrics}: all counters, and what the process itself uses, in Prometheus' text
 *       format, with the prefix {@code sailfish_}
 *   <li>{@code /status}: a small flat JSON object
 * </ul>
 *
 * The suppliers are called by the endpoint's two threads and must not wait.
 */
public final class WebEndpoint implements Closeable {
  private static final String JDK_SERVER = "sun.net.httpserver.";
  private static final String MAX_EXCHANGE_SECONDS = "3";
  private static final int THREADS = 2;
  private static final int WAITING_REQUESTS = 64;
  private static final int OK = 200;
  private static final int NOT_ALLOWED = 405;

  private final HttpServer server;
  private final ThreadPoolExecutor executor;

  private WebEndpoint(HttpServer server, ThreadPoolExecutor executor) {
    this.server = server;
    this.executor = executor;
  }

  /**
   * Binds and starts to answer.
   *
   * @param name of the server, for thread names
   * @param port to bind to; 0 = any free one
   * @param metrics counters by label
   * @param status fields of {@code /status}; Numbers and Booleans stay such in JSON, anything else
   *     becomes a string
   * @throws IOException naming host and port when they cannot be bound
   */
  public static WebEndpoint start(
      String name,
      String host,
      int port,
      Supplier<Map<String, Long>> metrics,
      Supplier<Map<String, Object>> status)
      throws IOException {
    // The JDK's server waits for slow requests without end unless told so, before its first use.
    for (String limit : new String[] {"maxReqTime", "maxRspTime"}) {
      if (System.getProperty(JDK_SERVER + limit) == null) {
        System.setProperty(JDK_SERVER + limit, MAX_EXCHANGE_SECONDS);
      }
    }
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(host, port), 0);
    } catch (IOException e) {
      throw new IOException(
          name + " cannot listen on " + host + ":" + port + " for its web page: " + e.getMessage(),
          e);
    }
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_REQUESTS),
            work -> {
              Thread thread = new Thread(work, name.replace(' ', '-') + "-web");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(executor);
    server.createContext("/health", exchange -> answer(exchange, "text/plain", "ok\n"));
    server.createContext(
        "/metrics",
        exchange ->
            answer(exchange, "text/plain; version=0.0.4; charset=utf-8", text(metrics.get())));
    server.createContext(
        "/status", exchange -> answer(exchange, "application/json", json(status.get())));
    server.start();
    return new WebEndpoint(server, executor);
  }

  private static void answer(HttpExchange exchange, String type, String body) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("GET")) {
        exchange.sendResponseHeaders(NOT_ALLOWED, -1);
        return;
      }
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(OK, bytes.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    }
  }

  private static String text(Map<String, Long> metrics) {
    StringBuilder out = new StringBuilder();
    Map<String, Long> all = new TreeMap<>(ProcessGauges.read());
    all.putAll(metrics);
    all.forEach(
        (label, value) -> {
          String name = "sailfish_" + label.replaceAll("[^a-zA-Z0-9_:]", "_");
          out.append("# TYPE ").append(name).append(" untyped\n");
          out.append(name).append(' ').append(value).append('\n');
        });
    return out.toString();
  }

  private static String json(Map<String, Object> fields) {
    StringBuilder out = new StringBuilder("{");
    fields.forEach(
        (name, value) -> {
          out.append(out.length() == 1 ? "" : ",").append(quoted(name)).append(':');
          boolean plain = value instanceof Number || value instanceof Boolean;
          out.append(plain ? value.toString() : quoted(String.valueOf(value)));
        });
    return out.append("}\n").toString();
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  /** The port that is listened on. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Stops at once; requests being answered are cut off. */
  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}

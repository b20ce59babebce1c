package dev.sailfish.metaserver;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server that knows applications as the ResourceManager does. */
final class TestResourceManager implements Closeable {
  private static final String PATH = "/ws/v1/cluster/apps/";

  final AtomicInteger asked = new AtomicInteger();
  private final Map<String, String> applications = new ConcurrentHashMap<>();
  private final HttpServer server;

  TestResourceManager() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(PATH, this::answer);
    server.start();
  }

  String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  /** From here on the application is known. */
  void set(String application, String user, String state) {
    applications.put(
        application,
        "{\"app\":{\"id\":\"%s\",\"user\":\"%s\",\"state\":\"%s\"}}"
            .formatted(application, user, state));
  }

  /** From here on the answer for the application is this text. */
  void setText(String application, String text) {
    applications.put(application, text);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      asked.incrementAndGet();
      String json = applications.get(exchange.getRequestURI().getPath().substring(PATH.length()));
      byte[] bytes = String.valueOf(json).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(json == null ? 404 : 200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

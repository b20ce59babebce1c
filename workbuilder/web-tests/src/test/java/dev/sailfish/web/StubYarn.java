package dev.sailfish.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Answers as ResourceManager, its proxy and the history server would; what, the test says. */
final class StubYarn implements Closeable {
  private final HttpServer server;
  private final Map<String, String> pages = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile Predicate<HttpExchange> guard = exchange -> true;

  StubYarn() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.incrementAndGet();
    if (!guard.test(exchange)) {
      exchange.sendResponseHeaders(401, -1);
      exchange.close();
      return;
    }
    String query = exchange.getRequestURI().getQuery();
    String path = exchange.getRequestURI().getPath();
    String of =
        query == null ? path : path + (query.contains("finishedTimeBegin") ? "?ended" : "?living");
    String page = pages.getOrDefault(of, pages.get(path));
    byte[] body = (page == null ? "{}" : page).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(page == null ? 404 : 200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** What a path answers with from now on, with {@code '} for quotes; null: 404. */
  void put(String path, String json) {
    if (json == null) {
      pages.remove(path);
    } else {
      pages.put(path, json.replace('\'', '"'));
    }
  }

  /** Lets only those in that a test wants; it may set headers of the answer. */
  void guard(Predicate<HttpExchange> wanted) {
    guard = wanted;
  }

  /** How many requests there were. */
  int asked() {
    return asked.get();
  }

  int port() {
    return server.getAddress().getPort();
  }

  String base() {
    return "http://127.0.0.1:" + port();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

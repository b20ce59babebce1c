package dev.sailfish.system;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Answers as a ResourceManager for which every application runs. */
final class RunningApplications implements Closeable {
  private static final String PATH = "/ws/v1/cluster/apps/";

  private final HttpServer server;

  RunningApplications() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(PATH, RunningApplications::answer);
    server.start();
  }

  String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String application = exchange.getRequestURI().getPath().substring(PATH.length());
      String json = "{\"app\":{\"id\":\"%s\",\"user\":\"test\",\"state\":\"RUNNING\"}}";
      byte[] bytes = json.formatted(application).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

package dev.sailfish.system.web.live;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers as a ResourceManager whose applications have all ended, each a minute after the one
 * before; until they are forgotten.
 */
final class EndedApplications implements Closeable {
  /** How many users there are, and how many queues. */
  static final int USERS = 9;

  static final int QUEUES = 4;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String APPS = "/ws/v1/cluster/apps";
  private static final long MINUTE_MS = 60_000;

  private final HttpServer server;
  private volatile List<ObjectNode> applications;

  /**
   * @param count how many
   * @param nowMs when the last one ended, in ms since 1970
   */
  EndedApplications(int count, long nowMs) throws IOException {
    List<ObjectNode> made = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      long endMs = nowMs - (count - i) * MINUTE_MS;
      made.add(
          JSON.createObjectNode()
              .put("id", application(i))
              .put("name", name(i))
              .put("user", "user-" + i % USERS)
              .put("queue", "queue-" + i % QUEUES)
              .put("state", i % 50 == 1 ? "KILLED" : "FINISHED")
              .put("finalStatus", i % 10 == 0 ? "FAILED" : i % 50 == 1 ? "KILLED" : "SUCCEEDED")
              .put("startedTime", endMs - 4 * MINUTE_MS)
              .put("launchTime", endMs - 3 * MINUTE_MS)
              .put("finishedTime", endMs)
              .put("diagnostics", i % 10 == 0 ? "a disk is full" : ""));
    }
    applications = List.copyOf(made);
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  static String application(int number) {
    return "application_1795000000000_%04d".formatted(number);
  }

  /** The job of an application. */
  static String job(int number) {
    return application(number).replace("application_", "job_");
  }

  static String name(int number) {
    return (number % 3 == 0 ? "hourly clicks " : "daily sessions ") + number;
  }

  /** Forgets all of them. */
  void forget() {
    applications = List.of();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean list = exchange.getRequestURI().getPath().equals(APPS);
      ObjectNode answer = JSON.createObjectNode();
      ArrayNode apps = answer.putObject("apps").putArray("app");
      String query = String.valueOf(exchange.getRequestURI().getQuery());
      if (list && query.contains("states=FINISHED")) {
        long since = Long.parseLong(query.replaceAll(".*finishedTimeBegin=(\\d+).*", "$1"));
        applications.stream()
            .filter(one -> one.path("finishedTime").asLong() >= since)
            .forEach(apps::add);
      }
      byte[] bytes = JSON.writeValueAsBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(list ? 200 : 404, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

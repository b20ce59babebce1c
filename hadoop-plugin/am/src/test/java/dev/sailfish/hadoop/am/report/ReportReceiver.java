package dev.sailfish.hadoop.am.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A web process as far as it takes reports, on a port of the loopback address. */
final class ReportReceiver implements AutoCloseable {
  private static final int TAKEN = 204;
  private static final long LONGEST_HOLD_S = 60;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private final List<Taken> taken = new CopyOnWriteArrayList<>();
  private volatile int status = TAKEN;
  private volatile CountDownLatch hold = new CountDownLatch(0);

  /** What came, and when. */
  record Taken(String method, String path, String signature, byte[] body, JsonNode json) {
    long sequence() {
      return json.path("sequence").asLong();
    }

    String ended() {
      return json.path("ended").asText();
    }
  }

  ReportReceiver(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext("/", this::take);
    server.setExecutor(threads);
    server.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    taken.add(
        new Taken(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            exchange.getRequestHeaders().getFirst("Sailfish-Signature"),
            body,
            new ObjectMapper().readTree(body)));
    try {
      hold.await(LONGEST_HOLD_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** All that came, also what was refused or not answered. */
  List<Taken> taken() {
    return taken;
  }

  Taken last() {
    return taken.get(taken.size() - 1);
  }

  /** What is answered from now on. */
  void answer(int with) {
    status = with;
  }

  /** Leaves requests without an answer until the latch is counted down. */
  CountDownLatch hold() {
    hold = new CountDownLatch(1);
    return hold;
  }

  @Override
  public void close() {
    hold.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}

package dev.sailfish.node;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonMain;
import dev.sailfish.lineage.worker.LineageWorker;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A chunkserver and a lineage worker that share a block store: what one does not use is the
 * other's. When one cannot go on, the process ends with both.
 */
public final class Node implements Daemon {
  /** What a node is called. */
  public static final String NAME = "node";

  private final BlockStore store;
  private Chunkserver chunkserver;
  private LineageWorker worker;

  private Node(NodeConfig config) throws IOException {
    store = BlockStore.open(config.blockStore(), System::nanoTime);
  }

  /** The process of a node; the argument is its properties file. */
  public static void main(String[] args) {
    DaemonMain.run(NAME, args, Node::read, Node::startProcess);
  }

  private static NodeConfig read(Settings settings) throws IOException {
    NodeConfig config = NodeConfig.of(settings);
    config.chunkserver().daemon().checkFiles();
    return config;
  }

  private static Node startProcess(NodeConfig config) throws IOException {
    Node node = start(config);
    node.chunkserver.rehearse();
    return node;
  }

  /**
   * Starts a node; both serve when this returns.
   *
   * @throws IOException saying what cannot be used
   * @throws IllegalArgumentException naming the setting that is wrong
   */
  public static Node start(Settings settings) throws IOException {
    return start(NodeConfig.of(settings));
  }

  private static Node start(NodeConfig config) throws IOException {
    Node node = new Node(config);
    boolean started = false;
    try {
      node.chunkserver = Chunkserver.start(config.chunkserver(), node.store);
      node.worker = LineageWorker.start(config.worker(), node.store);
      started = true;
      return node;
    } finally {
      if (!started) {
        node.close();
      }
    }
  }

  /** The chunkserver in it. */
  public Chunkserver chunkserver() {
    return chunkserver;
  }

  /** The lineage worker in it. */
  public LineageWorker worker() {
    return worker;
  }

  @Override
  public String place() {
    return "chunkserver " + chunkserver.place() + " lineage-worker " + worker.place();
  }

  @Override
  public CompletableFuture<String> failure() {
    return CompletableFuture.anyOf(chunkserver.failure(), worker.failure())
        .thenApply(String.class::cast);
  }

  /** Stops both; what they hold stays for the next start, as far as each is told so. */
  @Override
  public void close() throws IOException {
    try (store) {
      closeDaemons();
    }
  }

  private void closeDaemons() throws IOException {
    try {
      if (chunkserver != null) {
        chunkserver.close();
      }
    } finally {
      if (worker != null) {
        worker.close();
      }
    }
  }
}

package dev.sailfish.ground.server.daemon;

import java.io.Closeable;
import java.util.concurrent.CompletableFuture;

/** A server that runs, as its process sees it. Thread-safe. */
public interface Daemon extends Closeable {
  /** Where it serves, for the log: {@code host:port web=port}, and what else tells it apart. */
  String place();

  /** Completes with a sentence when the daemon cannot go on and its process must end. */
  CompletableFuture<String> failure();
}

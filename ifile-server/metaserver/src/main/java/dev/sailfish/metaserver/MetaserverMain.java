package dev.sailfish.metaserver;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.ErrorGuard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a metaserver until the process is told to end. */
public final class MetaserverMain {
  private static final Logger LOG = LoggerFactory.getLogger(MetaserverMain.class);

  /** How long an end waits for a start that has just been made. */
  private static final long STOP_DEADLINE_S = 10;

  private MetaserverMain() {}

  /**
   * @param args path of a properties file
   */
  public static void main(String[] args) {
    if (args.length != 1) {
      LOG.error("usage: MetaserverMain PROPERTIES_FILE");
      System.exit(2);
    }
    ErrorGuard.install("metaserver", Runtime.getRuntime()::halt);
    CompletableFuture<Metaserver> running = new CompletableFuture<>();
    // Before the start: who sees that the metaserver is ready may stop it at once.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(running), "metaserver-stop"));
    try {
      running.complete(Metaserver.start(MetaserverConfig.of(Settings.read(Path.of(args[0])))));
    } catch (IOException | IllegalArgumentException e) {
      LOG.error("metaserver cannot start: {}", e.getMessage());
      running.cancel(false);
      System.exit(1);
    } finally {
      running.cancel(false);
    }
    LOG.error("metaserver ends: {}", running.join().failure().join());
    System.exit(1);
  }

  private static void stop(CompletableFuture<Metaserver> running) {
    try {
      running.get(STOP_DEADLINE_S, TimeUnit.SECONDS).close();
    } catch (InterruptedException
        | ExecutionException
        | TimeoutException
        | CancellationException e) {
      LOG.debug("there is no metaserver to stop", e);
    }
  }
}

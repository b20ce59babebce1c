package dev.sailfish.ground.server.daemon;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.guard.ErrorGuard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of a daemon, from its properties file to SIGTERM. It exits with 1 when the daemon
 * cannot start or go on, with 2 when it is called wrongly, and with {@link ErrorGuard#EXIT_CODE}
 * after an Error. With {@code --check-config} it only reads the file, and exits with 0 or 1.
 */
public final class DaemonMain {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonMain.class);
  private static final int FAILED = 1;
  private static final int WRONG_USAGE = 2;
  private static final String CHECK = "--check-config";

  /** How long SIGTERM waits for a start that is not complete. */
  private static final long START_DEADLINE_S = 10;

  private DaemonMain() {}

  /**
   * Reads what a daemon is told, and changes nothing.
   *
   * @param <C> what its settings are read to
   */
  @FunctionalInterface
  public interface Reader<C> {
    /**
     * Reads the settings and what they name.
     *
     * @throws IOException saying what cannot be used
     * @throws IllegalArgumentException naming the setting that is wrong
     */
    C read(Settings settings) throws IOException;
  }

  /**
   * Starts a daemon.
   *
   * @param <C> what its settings are read to
   */
  @FunctionalInterface
  public interface Starter<C> {
    /**
     * Returns when the daemon serves.
     *
     * @throws IOException saying what cannot be used
     * @throws IllegalArgumentException naming the setting that is wrong, where {@link Reader}
     *     cannot see it
     */
    Daemon start(C config) throws IOException;
  }

  /**
   * Runs a daemon until its process ends; does not return.
   *
   * @param name of the daemon, for the log
   * @param args of the process: the path of a properties file, and perhaps {@code --check-config}
   *     before it
   */
  public static <C> void run(String name, String[] args, Reader<C> reader, Starter<C> starter) {
    boolean checkOnly = args.length == 2 && args[0].equals(CHECK);
    if (args.length != 1 && !checkOnly || args[args.length - 1].startsWith("-")) {
      LOG.error("usage: {} [{}] PROPERTIES-FILE", name, CHECK);
      System.exit(WRONG_USAGE);
    }
    if (checkOnly) {
      System.exit(check(name, Path.of(args[1]), reader));
    }
    ErrorGuard.install(name, Runtime.getRuntime()::halt);
    CompletableFuture<Daemon> running = new CompletableFuture<>();
    // Before the start: a daemon that is ready may be stopped at once.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(name, running), name + "-stop"));
    try {
      Daemon daemon = starter.start(reader.read(Settings.read(Path.of(args[0]))));
      running.complete(daemon);
      LOG.info("{} ready {}", name, daemon.place());
    } catch (IOException | IllegalArgumentException e) {
      LOG.error("{} cannot start: {}", name, e.getMessage());
      LOG.debug("{} cannot start", name, e);
      running.cancel(false);
      System.exit(FAILED);
    } finally {
      running.cancel(false);
    }
    LOG.error("{} ends: {}", name, running.join().failure().join());
    System.exit(FAILED);
  }

  private static int check(String name, Path file, Reader<?> reader) {
    try {
      reader.read(Settings.read(file));
      LOG.info("{} can be started with this configuration: {}", name, file);
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      LOG.error("{} cannot be started with this configuration: {}", name, e.getMessage());
      return FAILED;
    }
  }

  private static void stop(String name, CompletableFuture<Daemon> running) {
    try {
      running.get(START_DEADLINE_S, TimeUnit.SECONDS).close();
    } catch (IOException e) {
      LOG.error("{} did not stop well", name, e);
    } catch (InterruptedException
        | ExecutionException
        | TimeoutException
        | CancellationException e) {
      LOG.debug("there is no {} to stop", name, e);
    }
  }
}

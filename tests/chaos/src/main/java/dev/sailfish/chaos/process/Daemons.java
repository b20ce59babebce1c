package dev.sailfish.chaos.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Servers of one kind, each of which one fault at a time has to itself, and not too many at once.
 * Thread-safe.
 */
public final class Daemons {
  private static final Duration SERVES_AGAIN = Duration.ofSeconds(180);

  private final List<DaemonProcess> all;
  private final int mostTaken;
  private final Started started;

  // Guarded by this object's monitor.
  private final Set<DaemonProcess> taken = new HashSet<>();
  private final Map<DaemonProcess, Properties> configurations = new HashMap<>();

  /** Hears of new processes. */
  public interface Started {
    /** A server serves again, as another process. */
    void started(DaemonProcess daemon) throws IOException;
  }

  /** Servers of which at most some are taken at a time. */
  public Daemons(List<DaemonProcess> all, int mostTaken, Started started) {
    this.all = List.copyOf(all);
    this.mostTaken = mostTaken;
    this.started = started;
  }

  /** All of them, in their order. */
  public List<DaemonProcess> all() {
    return all;
  }

  /** A running server that nobody has; empty when too many are taken, or down. */
  public synchronized Optional<DaemonProcess> take(SplittableRandom random) {
    List<DaemonProcess> free =
        all.stream().filter(daemon -> !taken.contains(daemon) && daemon.isRunning()).toList();
    if (free.size() <= all.size() - mostTaken) {
      return Optional.empty();
    }
    DaemonProcess chosen = free.get(random.nextInt(free.size()));
    taken.add(chosen);
    return Optional.of(chosen);
  }

  /** This very server, if it runs and nobody has it. */
  public synchronized Optional<DaemonProcess> take(DaemonProcess daemon) {
    return daemon.isRunning() && taken.add(daemon) ? Optional.of(daemon) : Optional.empty();
  }

  /** The one who has taken it does no more to it. */
  public synchronized void giveBack(DaemonProcess daemon) {
    taken.remove(daemon);
  }

  /** Starts a server that has ended, and waits until it serves. */
  public void start(DaemonProcess daemon) throws IOException {
    daemon.start();
    started.started(daemon);
  }

  /** Has a server run with other settings, besides its own, until {@link #repair}. */
  public void reconfigure(DaemonProcess daemon, Map<String, String> settings)
      throws IOException, InterruptedException {
    Properties before = daemon.properties();
    Properties now = new Properties();
    now.putAll(before);
    now.putAll(settings);
    synchronized (this) {
      configurations.putIfAbsent(daemon, before);
    }
    daemon.configure(now);
    daemon.end("TERM");
    start(daemon);
  }

  /** Nobody has a server any more: all run as they are configured, and serve. */
  public void repair() throws IOException, InterruptedException {
    Map<DaemonProcess, Properties> changed;
    synchronized (this) {
      changed = Map.copyOf(configurations);
      configurations.clear();
      taken.clear();
    }
    for (Map.Entry<DaemonProcess, Properties> before : changed.entrySet()) {
      before.getKey().configure(before.getValue());
      before.getKey().end("TERM");
    }
    for (DaemonProcess daemon : all) {
      if (!daemon.isRunning()) {
        start(daemon);
      }
    }
    for (DaemonProcess daemon : all) {
      await().atMost(SERVES_AGAIN).alias(daemon + " serves again").until(daemon::serves);
    }
  }
}

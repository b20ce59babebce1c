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

  private final List<Daemon> all;
  private final int mostTaken;
  private final Started started;

  // Guarded by this object's monitor.
  private final Set<Daemon> taken = new HashSet<>();
  private final Map<Daemon, Properties> configurations = new HashMap<>();

  /** Hears of new processes. */
  public interface Started {
    /** A server serves again, as another process. */
    void started(Daemon daemon) throws IOException;
  }

  /** Servers of which at most some are taken at a time. */
  public Daemons(List<Daemon> all, int mostTaken, Started started) {
    this.all = List.copyOf(all);
    this.mostTaken = mostTaken;
    this.started = started;
  }

  /** All of them, in their order. */
  public List<Daemon> all() {
    return all;
  }

  /** A running server that nobody has; empty when too many are taken, or down. */
  public synchronized Optional<Daemon> take(SplittableRandom random) {
    List<Daemon> free =
        all.stream().filter(daemon -> !taken.contains(daemon) && daemon.isRunning()).toList();
    if (free.size() <= all.size() - mostTaken) {
      return Optional.empty();
    }
    Daemon chosen = free.get(random.nextInt(free.size()));
    taken.add(chosen);
    return Optional.of(chosen);
  }

  /** This very server, if it runs and nobody has it. */
  public synchronized Optional<Daemon> take(Daemon daemon) {
    return daemon.isRunning() && taken.add(daemon) ? Optional.of(daemon) : Optional.empty();
  }

  /** Whoever has taken it does no more to it. */
  public synchronized void giveBack(Daemon daemon) {
    taken.remove(daemon);
  }

  /** Starts a server that has ended, and waits until it serves. */
  public void start(Daemon daemon) throws IOException {
    daemon.start();
    started.started(daemon);
  }

  /** Has a server run with other settings, besides its own, until {@link #repair}. */
  public void reconfigure(Daemon daemon, Map<String, String> settings)
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
    Map<Daemon, Properties> changed;
    synchronized (this) {
      changed = Map.copyOf(configurations);
      configurations.clear();
      taken.clear();
    }
    for (Map.Entry<Daemon, Properties> before : changed.entrySet()) {
      before.getKey().configure(before.getValue());
      before.getKey().end("TERM");
    }
    for (Daemon daemon : all) {
      if (!daemon.isRunning()) {
        start(daemon);
      }
    }
    for (Daemon daemon : all) {
      await().atMost(SERVES_AGAIN).alias(daemon + " serves again").until(daemon::serves);
    }
  }
}

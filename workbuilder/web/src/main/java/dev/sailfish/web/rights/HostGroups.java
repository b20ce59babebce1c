package dev.sailfish.web.rights;

import dev.sailfish.ground.wire.Clock;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * The groups that this host knows a user to be in, by the command {@code id -Gn}, which asks
 * whatever the host asks: files, LDAP, SSSD. An answer counts for some minutes; then the next
 * question has it asked again, and gets the old one meanwhile. Who cannot be asked about is in no
 * group for some seconds. Thread-safe.
 */
public final class HostGroups implements Closeable {
  private static final Logger LOG = Logger.getLogger(HostGroups.class);
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration AGAIN = Duration.ofSeconds(10);
  private static final int THREADS = 2;
  private static final int USERS = 10_000;

  private final Duration counts;
  private final Clock clock;
  private final ExecutorService threads;
  private final Map<String, Known> known =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
          return size() > USERS;
        }
      };

  /** What was heard, and until when it counts; what is being asked, or null. */
  private record Known(Set<String> groups, long untilNs, CompletableFuture<Set<String>> asked) {}

  /**
   * Asks nothing yet.
   *
   * @param counts for how long an answer counts
   */
  public HostGroups(Duration counts, Clock clock) {
    this.counts = counts;
    this.clock = clock;
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            work -> {
              Thread made = new Thread(work, "groups");
              made.setDaemon(true);
              return made;
            });
  }

  /**
   * The groups of a user; none when he is unknown, or the host does not answer. Waits some seconds
   * at most, and only for a user who was not asked about before.
   */
  public Set<String> of(String user) {
    CompletableFuture<Set<String>> answer;
    synchronized (known) {
      Known now = known.get(user);
      boolean old = now == null || clock.nanoTime() - now.untilNs > 0;
      if (now == null || old && now.asked == null) {
        answer = new CompletableFuture<>();
        now = new Known(now == null ? null : now.groups, clock.nanoTime(), answer);
        known.put(user, now);
        threads.execute(() -> ask(user));
      }
      if (now.groups != null) {
        return now.groups;
      }
      answer = now.asked;
    }
    return awaited(user, answer);
  }

  /** Keeps what the host says; where it says nothing, that there is no group. */
  private void ask(String user) {
    Set<String> groups = Set.of();
    Duration until = AGAIN;
    try {
      groups = command(user);
      until = counts;
    } catch (IOException e) {
      LOG.warnf("user=%s counts as in no group: %s", user, e.getMessage());
    } finally {
      CompletableFuture<Set<String>> asked;
      synchronized (known) {
        Known before = known.put(user, new Known(groups, clock.nanoTime() + until.toNanos(), null));
        asked = before == null ? null : before.asked;
      }
      if (asked != null) {
        asked.complete(groups);
      }
    }
  }

  private static Set<String> awaited(String user, CompletableFuture<Set<String>> asked) {
    try {
      return asked.get(2 * DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      LOG.warnf("user=%s counts as in no group, the host is asked too much: %s", user, e);
    }
    return Set.of();
  }

  private static Set<String> command(String user) throws IOException {
    Process id =
        new ProcessBuilder("id", "-Gn", "--", user)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      id.getOutputStream().close();
      if (!id.waitFor(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("id -Gn has not ended within " + DEADLINE.toSeconds() + " s");
      }
      // A user whom the host does not know has no groups there.
      String names = new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return id.exitValue() != 0
          ? Set.of()
          : Arrays.stream(names.strip().split("\\s+"))
              .filter(name -> !name.isEmpty())
              .collect(Collectors.toUnmodifiableSet());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: id -Gn");
    } finally {
      id.destroyForcibly();
    }
  }

  /** Ends what is being asked. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}

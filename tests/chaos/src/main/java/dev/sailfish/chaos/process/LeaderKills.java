package dev.sailfish.chaos.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Kills the one of several peers that leads, again and again while clients are served, and takes
 * the time from each kill until a client is served again. {@link #acknowledged} is for any thread,
 * the rest for one.
 */
public final class LeaderKills {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(20);

  private final PeerProcesses peers;
  private final List<Long> withoutLeaderMs = new ArrayList<>();

  /** When a client was served first since this was 0, in nanoseconds. */
  private final AtomicLong firstAcknowledgedNs = new AtomicLong();

  /** What runs only around each kill. */
  public interface Burst {
    /** No more than what runs all the time. */
    Burst NONE =
        new Burst() {
          @Override
          public void begin() {}

          @Override
          public void end() {}
        };

    /** Returns when it runs at full speed. */
    void begin();

    /** Another leader serves; the killed peer is started when this returns. */
    void end();
  }

  /** Nobody is killed yet. */
  public LeaderKills(PeerProcesses peers) {
    this.peers = peers;
  }

  /** A client was served. */
  public void acknowledged() {
    firstAcknowledgedNs.compareAndSet(0, System.nanoTime());
  }

  /**
   * Kills as many leaders; each is started again before the next one is killed.
   *
   * @throws AssertionError when a peer ends that was not killed
   */
  public void kill(int times) throws IOException, InterruptedException {
    kill(times, Burst.NONE);
  }

  /**
   * The same, with a burst around each kill. A peer that starts again gets no more of the processor
   * than each of the others, so while these are at their limit it cannot be waited for.
   */
  public void kill(int times, Burst burst) throws IOException, InterruptedException {
    for (int i = 0; i < times; i++) {
      burst.begin();
      awaitAcknowledged(peers.peers());
      DaemonProcess leader = peers.awaitLeader();
      List<DaemonProcess> others = peers.peers().stream().filter(peer -> peer != leader).toList();
      long killedNs = System.nanoTime();
      leader.end("KILL");
      withoutLeaderMs.add(TimeUnit.NANOSECONDS.toMillis(awaitAcknowledged(others) - killedNs));
      burst.end();
      leader.start();
    }
  }

  /** Waits for a client that is served from now on, and tells when that was. */
  private long awaitAcknowledged(List<DaemonProcess> running) {
    firstAcknowledgedNs.set(0);
    return await("a client is served")
        .atMost(DEADLINE)
        .pollInterval(LOOK)
        .until(
            () -> {
              running.forEach(DaemonProcess::requireRunning);
              return firstAcknowledgedNs.get();
            },
            at -> at != 0);
  }

  /** The time without a leader that so many of a hundred kills did not exceed. */
  public long percentileMs(int percent) {
    List<Long> sorted = withoutLeaderMs.stream().sorted().toList();
    return sorted.get((int) Math.ceil(percent / 100.0 * sorted.size()) - 1);
  }

  /** The times without a leader, in the order of the kills. */
  public List<Long> withoutLeaderMs() {
    return List.copyOf(withoutLeaderMs);
  }

  /**
   * Prints how it went, and writes it to a file.
   *
   * @param acknowledged how often clients were served
   */
  public void report(Path file, long acknowledged) throws IOException {
    String line =
        "leaders killed: %d; without a leader: p50 %d ms, p99 %d ms; acknowledged: %d"
            .formatted(withoutLeaderMs.size(), percentileMs(50), percentileMs(99), acknowledged);
    System.out.println(line);
    Files.writeString(file, line + "\n" + withoutLeaderMs + "\n");
  }
}

package dev.sailfish.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chaos.process.LeaderKills;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.counter.message.Counter;
import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.wire.Credentials;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The leader of three peers is killed again and again while clients count: each increment that was
 * acknowledged counts, none counts twice, and soon there is another leader.
 */
class LeaderKillTest {
  private static final List<String> JOBS = List.of("job_1", "job_2", "job_3");
  private static final int CLIENTS = 6;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Load> loads = new ArrayList<>();
  private PeerProcesses cluster;
  private LeaderKills kills;
  private volatile boolean ended;

  /** One client: what it has tried, and what was acknowledged. */
  private final class Load implements Runnable {
    private final String name;
    private final String job;
    private long tried;
    private long acknowledged;

    Load(int number) {
      name = "client-" + number;
      job = JOBS.get(number % JOBS.size());
    }

    @Override
    public void run() {
      try (CounterClient client = new CounterClient(cluster.addresses(), name, ofJob(job))) {
        while (!ended) {
          tried++;
          client.increment(job);
          acknowledged++;
          kills.acknowledged();
        }
      } catch (IOException e) {
        throw new AssertionError(name + " was not answered", e);
      }
    }
  }

  private static Credentials ofJob(String job) {
    return Credentials.ofJob(job, CounterAuthenticator.jobSecret(CounterCluster.SECRET, job));
  }

  @BeforeEach
  void start() throws IOException {
    cluster = CounterCluster.start(directory);
    kills = new LeaderKills(cluster);
  }

  @AfterEach
  void stop() {
    ended = true;
    threads.shutdown();
    cluster.close();
  }

  /** Other modules' tests run at the same time: how long there is no leader is up to them. */
  @Test
  @Timeout(300)
  void leadersKilledFiveTimes() throws Exception {
    kill(5);
  }

  @Test
  @Tag("long")
  @Timeout(1500)
  void leadersKilledFiftyTimes() throws Exception {
    kill(50);
    assertThat(kills.percentileMs(99))
        .as("time without a leader in ms: %s", kills.withoutLeaderMs())
        .isLessThanOrEqualTo(Journal.ELECTION_TIMEOUT_MS + 1000);
  }

  private void kill(int times) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      loads.add(new Load(i));
      running.add(threads.submit(loads.get(i)));
    }
    kills.kill(times);
    ended = true;
    for (Future<?> each : running) {
      each.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
    kills.report(
        Path.of("target", "leader-kills.txt"),
        loads.stream().mapToLong(load -> load.acknowledged).sum());
    assertCounted();
  }

  private void assertCounted() throws IOException {
    Map<String, Counter> counters;
    Credentials credentials = Credentials.ofCluster(CounterCluster.SECRET);
    try (CounterClient command = new CounterClient(cluster.addresses(), "command", credentials)) {
      counters = command.list().getCountersMap();
    }
    assertThat(counters).containsOnlyKeys(JOBS);
    for (String job : JOBS) {
      List<Load> its = loads.stream().filter(load -> load.job.equals(job)).toList();
      assertThat(counters.get(job).getValue())
          .as("increments of %s", job)
          .isBetween(
              its.stream().mapToLong(load -> load.acknowledged).sum(),
              its.stream().mapToLong(load -> load.tried).sum());
    }
  }

  @Test
  @Timeout(120)
  void aJobCountsForItselfAndListsNothing() throws IOException {
    try (CounterClient client = new CounterClient(cluster.addresses(), "c", ofJob("job_1"))) {
      assertThat(client.increment("job_1")).isEqualTo(1);
      assertThatThrownBy(() -> client.increment("job_2"))
          .hasMessageContaining("authenticated for 'job job_1' and asks for job=job_2");
      assertThatThrownBy(client::list)
          .hasMessageContaining("operation=LIST, which is for caller=CLUSTER");
    }
  }
}

package dev.sailfish.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.counter.message.Counter;
import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.wire.Credentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
  private final List<Long> withoutLeaderMs = new ArrayList<>();
  private PeerProcesses cluster;

  /** When the first increment was acknowledged since this was 0, in nanoseconds. */
  private final AtomicLong firstAcknowledgedNs = new AtomicLong();

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
          firstAcknowledgedNs.compareAndSet(0, System.nanoTime());
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
    assertThat(percentile(99))
        .as("time without a leader in ms: %s", withoutLeaderMs)
        .isLessThanOrEqualTo(Journal.ELECTION_TIMEOUT_MS + 1000);
  }

  private void kill(int times) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      loads.add(new Load(i));
      running.add(threads.submit(loads.get(i)));
    }
    for (int i = 0; i < times; i++) {
      killLeader();
    }
    ended = true;
    for (Future<?> each : running) {
      each.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
    report();
    assertCounted();
  }

  private void killLeader() throws IOException, InterruptedException {
    awaitAcknowledged();
    DaemonProcess leader = cluster.awaitLeader();
    long killedNs = System.nanoTime();
    leader.end("KILL");
    withoutLeaderMs.add(TimeUnit.NANOSECONDS.toMillis(awaitAcknowledged() - killedNs));
    leader.start();
  }

  /** Waits for an increment that is acknowledged from now on, and tells when that was. */
  private long awaitAcknowledged() {
    firstAcknowledgedNs.set(0);
    return await("an increment is acknowledged")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(20))
        .until(firstAcknowledgedNs::get, at -> at != 0);
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

  private long percentile(int percent) {
    List<Long> sorted = withoutLeaderMs.stream().sorted().toList();
    return sorted.get((int) Math.ceil(percent / 100.0 * sorted.size()) - 1);
  }

  private void report() throws IOException {
    String line =
        "leaders killed: %d; without a leader: p50 %d ms, p99 %d ms; increments acknowledged: %d"
            .formatted(
                withoutLeaderMs.size(),
                percentile(50),
                percentile(99),
                loads.stream().mapToLong(load -> load.acknowledged).sum());
    System.out.println(line);
    Files.writeString(Path.of("target", "leader-kills.txt"), line + "\n" + withoutLeaderMs + "\n");
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

package dev.sailfish.chaos.strike;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.Daemons;
import dev.sailfish.chaos.process.NamedProcess;
import dev.sailfish.chaos.process.RunningProcess;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Strikes on real processes: servers that do nothing but to note each start, with their settings.
 */
@Seeded
@Timeout(120)
class StrikeTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String SERVER = "cat \"$1\" >>\"$1.starts\"; while :; do sleep 0.1; done";

  @TempDir private Path directory;

  private final List<DaemonProcess> all = new ArrayList<>();
  private final List<String> restarted = new ArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private SplittableRandom random;
  private Service service;

  /** The servers, of which two may be struck at once. */
  private record Service(Daemons daemons) implements Target {
    @Override
    public void repair() throws IOException, InterruptedException {
      daemons.repair();
    }
  }

  @BeforeEach
  void start(Seed seed) throws IOException {
    random = seed.splittable();
    Path script = Files.writeString(directory.resolve("server.sh"), SERVER);
    for (int i = 0; i < 3; i++) {
      Path properties =
          Files.writeString(directory.resolve("server" + i + ".properties"), "room=much\n");
      Process process = new ProcessBuilder("sh", script.toString(), properties.toString()).start();
      await().atMost(DEADLINE).until(() -> Files.exists(starts(properties)));
      InetSocketAddress nowhere = new InetSocketAddress("127.0.0.1", 1);
      Path log = directory.resolve("log" + i);
      all.add(
          new DaemonProcess(
              "server" + i, nowhere, process.pid(), log, () -> Files.exists(starts(properties))));
    }
    service = new Service(new Daemons(all, 2, daemon -> restarted.add(daemon.name())));
  }

  private static Path starts(Path properties) {
    return Path.of(properties + ".starts");
  }

  /** What a server was set to at each of its starts. */
  private List<String> settingsOf(DaemonProcess daemon) throws IOException {
    return Files.readAllLines(starts(directory.resolve(daemon.name() + ".properties"))).stream()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  @AfterEach
  void end() throws Exception {
    threads.shutdownNow();
    for (DaemonProcess daemon : all) {
      daemon.end("KILL");
    }
    assertThat(RunningProcess.withWord(directory.toString())).isEmpty();
  }

  private Course course() {
    return new Course(random, ended);
  }

  private List<DaemonProcess> running() {
    return all.stream().filter(DaemonProcess::isRunning).toList();
  }

  private static char stateOf(RunningProcess process) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }

  @Test
  void killedServerShouldComeBackAtTheRepairOnly() throws Exception {
    Strike<Service> kill = new KillServer<>(Service::daemons);
    assertThat(kill.at(service, course()))
        .hasValueSatisfying(text -> assertThat(text).endsWith("for good"));
    assertThat(running()).hasSize(2);
    assertThat(kill.at(service, course())).isPresent();
    assertThat(kill.at(service, course())).as("too many are taken").isEmpty();
    assertThat(running()).hasSize(1);
    service.repair();
    assertThat(running()).hasSize(3);
    assertThat(restarted).hasSize(2);
    assertThat(kill.at(service, course())).as("all were given back").isPresent();
  }

  @Test
  void restartedServerShouldRunAsBefore() throws Exception {
    ended.countDown(); // it is not away for long
    RunningProcess[] before =
        all.stream().map(DaemonProcess::process).toArray(RunningProcess[]::new);
    assertThat(new RestartServer<>(Service::daemons).at(service, course())).isPresent();
    assertThat(running()).hasSize(3);
    assertThat(restarted).hasSize(1);
    DaemonProcess hit =
        all.stream().filter(one -> one.name().equals(restarted.get(0))).findFirst().get();
    assertThat(before).doesNotContain(hit.process());
    await().atMost(DEADLINE).until(() -> settingsOf(hit).equals(List.of("room=much", "room=much")));
  }

  @Test
  void rollingRestartShouldLeaveOutWhatAnotherFaultHas() throws Exception {
    service.daemons().take(all.get(1));
    Optional<String> hit =
        new RollingRestart<Service>(target -> List.of(target.daemons())).at(service, course());
    assertThat(hit).contains("restarted [server0, server2]");
    assertThat(restarted).containsExactly("server0", "server2");
  }

  @Test
  void stoppedServerShouldGoOnWhenTheWorkEnds() throws Exception {
    Future<Optional<String>> strike =
        threads.submit(() -> new StopServer<>(Service::daemons, 60_000).at(service, course()));
    await()
        .atMost(DEADLINE)
        .until(() -> all.stream().anyMatch(daemon -> isIn('T', daemon.process())));
    ended.countDown();
    assertThat(strike.get(30, TimeUnit.SECONDS)).isPresent();
    await()
        .atMost(DEADLINE)
        .until(() -> all.stream().noneMatch(daemon -> isIn('T', daemon.process())));
    assertThat(running()).hasSize(3);
  }

  private static boolean isIn(char state, RunningProcess process) {
    try {
      return stateOf(process) == state;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void slowedServerShouldGoOn() throws Exception {
    assertThat(new SlowServer<>(Service::daemons, 1).at(service, course())).isPresent();
    assertThat(running()).hasSize(3).noneMatch(daemon -> isIn('T', daemon.process()));
  }

  @Test
  void otherSettingsShouldHoldUntilTheRepair() throws Exception {
    Strike<Service> strike =
        new ReconfigureServer<>(
            Service::daemons,
            before -> Map.of("room", before.getProperty("room") + "less"),
            "no room");
    assertThat(strike.at(service, course()))
        .hasValueSatisfying(text -> assertThat(text).endsWith("has no room"));
    DaemonProcess hit =
        all.stream().filter(one -> one.name().equals(restarted.get(0))).findFirst().get();
    await()
        .atMost(DEADLINE)
        .until(() -> settingsOf(hit).equals(List.of("room=much", "room=muchless")));
    service.repair();
    await()
        .atMost(DEADLINE)
        .until(() -> settingsOf(hit).equals(List.of("room=much", "room=muchless", "room=much")));
  }

  @Test
  void killedProcessShouldEnd() throws Exception {
    RunningProcess process = all.get(0).process();
    ProcessChoice<Service> choice = target -> List.of(new NamedProcess("task", process));
    assertThat(new KillProcess<>(choice).at(service, course())).contains("killed task");
    await().atMost(DEADLINE).until(() -> !process.isRunning());
    assertThat(new KillProcess<>(choice).at(service, course())).as("it has ended").isEmpty();
    assertThat(new StopProcess<>(choice, 1).at(service, course())).isEmpty();
  }
}

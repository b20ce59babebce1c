package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonSpecTest {
  @TempDir private Path directory;
  private Path log;
  private DaemonRecord daemon;

  @BeforeEach
  void chooseLog() {
    log = directory.resolve("daemon.log");
  }

  @AfterEach
  void endDaemon() {
    DaemonRecord.end(List.of(daemon), Duration.ofSeconds(5));
  }

  private void start(String script) {
    daemon =
        new DaemonSpec(
                "daemon",
                List.of("sh", "-c", script),
                Map.of("GREETING", "hello"),
                "127.0.0.1:1",
                "",
                web -> true)
            .start(log);
  }

  @Test
  void logsWhatTheDaemonPrintsAndGivesItItsEnvironment() {
    start("echo $GREETING; echo world >&2; exec sleep 60");
    Awaitility.await()
        .untilAsserted(() -> assertThat(Files.readString(log)).isEqualTo("hello\nworld\n"));
    assertThat(daemon.isRunning()).isTrue();
  }

  @Test
  void keepsWhatAnEarlierLifePrinted() throws IOException {
    Files.writeString(log, "earlier\n");
    start("echo later; exec sleep 60");
    Awaitility.await()
        .untilAsserted(() -> assertThat(Files.readString(log)).isEqualTo("earlier\nlater\n"));
  }

  @Test
  void killsWithoutAskingBefore() {
    start("trap 'echo asked' TERM; echo ready; while :; do sleep 0.1; done");
    Awaitility.await().untilAsserted(() -> assertThat(Files.readString(log)).contains("ready"));
    DaemonRecord.kill(List.of(daemon), Duration.ofSeconds(5));
    assertThat(daemon.isRunning()).isFalse();
    assertThat(log).content().doesNotContain("asked");
  }

  @Test
  void endsWhatItStarted() {
    start("exec sleep 60");
    DaemonRecord.end(List.of(daemon), Duration.ofSeconds(5));
    assertThat(daemon.isRunning()).isFalse();
  }

  @Test
  void killsWhatDoesNotEnd() {
    start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    Awaitility.await().untilAsserted(() -> assertThat(Files.readString(log)).contains("ready"));
    DaemonRecord.end(List.of(daemon), Duration.ofMillis(200));
    assertThat(daemon.isRunning()).isFalse();
  }

  @Test
  void leavesAnotherProcessWithTheSamePidAlone() {
    start("exec sleep 60");
    DaemonRecord earlier =
        new DaemonRecord("earlier", daemon.pid(), daemon.startTicks() - 1, "127.0.0.1:1", "", "");
    assertThat(earlier.isRunning()).isFalse();
    DaemonRecord.end(List.of(earlier), Duration.ofSeconds(5));
    assertThat(daemon.isRunning()).isTrue();
  }
}

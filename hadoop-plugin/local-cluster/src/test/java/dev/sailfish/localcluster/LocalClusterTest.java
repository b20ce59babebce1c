package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterTest {
  @TempDir private Path directory;
  private ClusterLayout layout;
  private LocalCluster cluster;

  @BeforeEach
  void createCluster() {
    layout = new ClusterLayout(directory.resolve("cluster"));
    cluster = new LocalCluster(new Distribution(directory), layout, line -> {});
  }

  @Test
  void withoutAStartThereIsNothingToUseOrToStop() {
    assertThat(cluster.isUp()).isFalse();
    assertThat(cluster.stop()).isZero();
    assertThatThrownBy(cluster::state)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("bin/sailfish start");
  }

  @Test
  void refusesADirectoryThatIsUsedForSomethingElse() throws IOException {
    Path precious = layout.data().resolve("precious");
    Files.createDirectories(precious);
    assertThatThrownBy(() -> cluster.start(SailfishOptions.DEFAULT, Map.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(layout.home().toString());
    assertThat(precious).exists();
  }

  @Test
  void stopRemovesWhatDeadDaemonsLeftInMemory() throws IOException {
    Path memory = Files.createDirectories(directory.resolve("shm/segments"));
    Files.writeString(memory.resolve("segment"), "x");
    Files.createDirectories(layout.home());
    DaemonRecord dead =
        new DaemonRecord("chunkserver-1", Integer.MAX_VALUE, 1, "127.0.0.1:1", "", "");
    new ClusterState(List.of(memory.getParent().toString()), Map.of(), List.of(dead))
        .write(layout.stateFile());
    assertThat(cluster.isUp()).isFalse();
    assertThat(cluster.stop()).isZero();
    assertThat(memory.getParent()).doesNotExist();
    assertThat(layout.stateFile()).doesNotExist();
  }

  @Test
  void aStartThatIsRefusedLeavesTheRunningClusterAlone() throws IOException {
    Process sleep = new ProcessBuilder("sleep", "60").start();
    try {
      long startTicks = ProcessStat.read(sleep.pid()).orElseThrow().startTicks();
      DaemonRecord running =
          new DaemonRecord("metaserver", sleep.pid(), startTicks, "127.0.0.1:1", "", "");
      Files.createDirectories(layout.home());
      Files.createFile(layout.startLock());
      new ClusterState(List.of(), Map.of(), List.of(running)).write(layout.stateFile());
      assertThatThrownBy(() -> cluster.start(SailfishOptions.DEFAULT, Map.of()))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("already running");
      cluster.stopIfStarted();
      assertThat(running.isRunning()).isTrue();
      assertThat(layout.stateFile()).exists();
      assertThat(cluster.stop()).isEqualTo(1);
      assertThat(running.isRunning()).isFalse();
    } finally {
      sleep.destroyForcibly();
    }
  }

  @Test
  void refusesOptionsThatNoDaemonHas() {
    assertThatThrownBy(() -> new SailfishOptions(2, Map.of("sailfish.chunkservr.port", "1")))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("sailfish.chunkservr.port")
        .hasMessageContaining("CONFIGURATION.md");
    assertThatThrownBy(() -> new SailfishOptions(0, Map.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> new SailfishOptions(2, 1, 1, 0, Map.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("1, 3, 5 or 7 metaservers, not 2");
    assertThatThrownBy(() -> SailfishOptions.withStore(2, Map.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("1, 3, 5 or 7 lineage masters, not 2");
  }

  @Test
  void whatIsSetForOneKindOfDaemonDoesNotReachTheOther() {
    SailfishOptions options =
        new SailfishOptions(
            1, Map.of("sailfish.chunkserver.port", "7", "sailfish.metaserver.host", "here"));
    assertThat(
            options.over(
                Map.of("sailfish.chunkserver.port", "1", "sailfish.chunkserver.host", "x"),
                "sailfish.chunkserver."))
        .isEqualTo(Map.of("sailfish.chunkserver.port", "7", "sailfish.chunkserver.host", "x"));
  }
}

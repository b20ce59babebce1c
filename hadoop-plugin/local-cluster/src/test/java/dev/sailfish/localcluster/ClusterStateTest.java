package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterStateTest {
  private static final DaemonRecord DAEMON =
      new DaemonRecord("metaserver", 7, 8, "127.0.0.1:9", "http://127.0.0.1:10", "/x/y.log");

  @TempDir private Path directory;

  @Test
  void readsBackWhatWasWritten() {
    Path file = directory.resolve("cluster.json");
    ClusterState state =
        new ClusterState(List.of("/dev/shm/x"), Map.of("a", "b"), List.of()).with(DAEMON);
    state.write(file);
    assertThat(ClusterState.read(file)).contains(state);
    assertThat(state.metaservers()).containsExactly(DAEMON);
    assertThat(state.nodeManagers()).isEmpty();
  }

  @Test
  void aLaterLifeOfADaemonTakesItsPlace() {
    DaemonRecord first = new DaemonRecord("chunkserver-1", 11, 12, "127.0.0.1:13", "", "");
    DaemonRecord other = new DaemonRecord("chunkserver-2", 14, 15, "127.0.0.1:16", "", "");
    DaemonRecord again = new DaemonRecord("chunkserver-1", 17, 18, "127.0.0.1:13", "", "");
    ClusterState state = ClusterState.NOTHING.with(DAEMON).with(first).with(other).with(again);
    assertThat(state.daemons()).containsExactly(DAEMON, again, other);
    assertThat(state.chunkservers()).containsExactly(again, other);
  }

  @Test
  void servesWhileWhatIsDeadIsReplaced() {
    assertThat(ClusterState.NOTHING.serves()).isFalse();
    assertThat(serves("+resourcemanager", "+nodemanager")).isTrue();
    assertThat(serves("+resourcemanager", "-nodemanager")).isFalse();
    assertThat(serves("+metaserver", "+chunkserver-1", "-chunkserver-2")).isTrue();
    assertThat(serves("+metaserver", "-chunkserver-1", "-chunkserver-2")).isFalse();
    assertThat(serves("-metaserver", "+chunkserver-1")).isFalse();
    assertThat(serves("-metaserver", "+metaserver-2", "+metaserver-3")).isTrue();
    assertThat(serves("+metaserver", "-metaserver-2", "-metaserver-3")).isFalse();
    assertThat(serves("+resourcemanager", "+metaserver", "-web")).isTrue();
  }

  /** Names of daemons with + for those that run. */
  private static boolean serves(String... daemons) {
    ProcessStat self = ProcessStat.read(ProcessHandle.current().pid()).orElseThrow();
    ClusterState state = ClusterState.NOTHING;
    for (String daemon : daemons) {
      long startTicks = self.startTicks() + (daemon.startsWith("+") ? 0 : 1);
      state =
          state.with(
              new DaemonRecord(daemon.substring(1), self.pid(), startTicks, "127.0.0.1:9", "", ""));
    }
    return state.serves();
  }

  @Test
  void aMissingFileIsNoCluster() {
    assertThat(ClusterState.read(directory.resolve("cluster.json"))).isEmpty();
  }

  @Test
  void saysWhichFileIsDamaged() throws IOException {
    Path file = Files.writeString(directory.resolve("cluster.json"), "{\"daemons\": [");
    assertThatThrownBy(() -> ClusterState.read(file))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(file.toString());
  }
}

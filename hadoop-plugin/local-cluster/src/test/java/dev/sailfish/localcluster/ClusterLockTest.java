package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterLockTest {
  @TempDir private Path directory;
  private ClusterLayout layout;

  @BeforeEach
  void chooseDirectory() {
    layout = new ClusterLayout(directory.resolve("cluster"));
  }

  private ClusterLock acquire(Path file) {
    return ClusterLock.acquire(layout, file, "busy");
  }

  @Test
  void isHeldByOneAtATime() {
    try (ClusterLock lock = acquire(layout.sessionLock())) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> acquire(layout.sessionLock()))
          .isInstanceOf(CommandException.class)
          .hasMessage("busy");
    }
    acquire(layout.sessionLock()).close();
  }

  @Test
  void aSessionDoesNotKeepItselfFromStarting() {
    try (ClusterLock session = acquire(layout.sessionLock());
        ClusterLock start = acquire(layout.startLock())) {
      assertThat(session).isNotSameAs(start);
    }
  }
}

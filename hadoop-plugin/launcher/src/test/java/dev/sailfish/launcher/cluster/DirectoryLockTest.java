package dev.sailfish.launcher.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.launcher.LauncherException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {
  @TempDir private Path directory;
  private ClusterLayout layout;

  @BeforeEach
  void chooseDirectory() {
    layout = new ClusterLayout(directory.resolve("cluster"));
  }

  private DirectoryLock acquire(Path file) {
    return DirectoryLock.acquire(layout, file, "busy");
  }

  @Test
  void isHeldByOneAtATime() {
    try (DirectoryLock lock = acquire(layout.sessionLock())) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> acquire(layout.sessionLock()))
          .isInstanceOf(LauncherException.class)
          .hasMessage("busy");
    }
    acquire(layout.sessionLock()).close();
  }

  @Test
  void aSessionDoesNotKeepItselfFromStarting() {
    try (DirectoryLock session = acquire(layout.sessionLock());
        DirectoryLock start = acquire(layout.startLock())) {
      assertThat(session).isNotSameAs(start);
    }
  }
}

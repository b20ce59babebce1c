package dev.sailfish.system.yarn;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests that share a cluster, class by class; each of them leaves nothing behind. */
abstract class YarnTest {
  @TempDir static Path temporary;
  static YarnCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = null;
    cluster = YarnCluster.start(temporary);
  }

  @AfterAll
  static void stopCluster() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @AfterEach
  void everyJobShouldBeGone() throws Exception {
    cluster.awaitNoJob();
  }
}

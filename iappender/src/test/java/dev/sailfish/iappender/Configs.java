package dev.sailfish.iappender;

import java.time.Duration;

/** Configurations for tests. */
final class Configs {
  private Configs() {}

  static IappenderConfig memory(FakeCluster cluster, long memoryBytes) {
    return new IappenderConfig(
        cluster.metaserver(), "localhost", "nobody", memoryBytes, 0, 0, Duration.ofSeconds(60), 0);
  }

  /** Small blocks and a small window, so that a few records keep the network busy. */
  static IappenderConfig small(FakeCluster cluster, Duration deadline) {
    return new IappenderConfig(
        cluster.metaserver(), "localhost", "nobody", 1 << 20, 1 << 10, 16 << 10, deadline, 0);
  }
}

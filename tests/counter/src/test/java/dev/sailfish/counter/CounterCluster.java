package dev.sailfish.counter;

import dev.sailfish.chaos.process.PeerProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Three counters as processes. */
final class CounterCluster {
  static final byte[] SECRET = "the secret of three counters".getBytes(StandardCharsets.US_ASCII);

  private CounterCluster() {}

  static PeerProcesses start(Path directory) throws IOException {
    return new PeerProcesses(
        CounterServer.class, CounterKey.ALL.prefix(), "sailfish_counter_leads", SECRET, directory);
  }
}

package dev.sailfish.lineage.qfs.server;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.wire.ConnectionSettings;
import dev.sailfish.lineage.qfs.wire.TransferSettings;
import dev.sailfish.lineage.qfs.write.QfsOutput;
import dev.sailfish.testkit.qfs.QfsTestServer;
import java.io.IOException;
import java.time.Duration;

/** Clients of the tests' server that wait seconds where others wait minutes. */
final class Clients {
  /** A reply is late after this. */
  static final Duration REQUEST = Duration.ofMillis(700);

  /** No attempt begins after this where one is to succeed. */
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** No attempt begins after this where none succeeds. */
  private static final Duration SHORT_DEADLINE = Duration.ofSeconds(4);

  private Clients() {}

  static QfsSettings settings(QfsTestServer qfs) {
    HostPort[] metaservers =
        qfs.metaservers().stream()
            .map(address -> new HostPort("127.0.0.1", address.getPort()))
            .toArray(HostPort[]::new);
    return QfsSettings.of(metaservers);
  }

  static QfsClient of(QfsTestServer qfs) {
    return QfsClient.connect(settings(qfs));
  }

  /** Replies are late soon, and operations of 64 KB so that small files have many. */
  static QfsClient impatient(QfsTestServer qfs) {
    return impatient(qfs, DEADLINE);
  }

  /** An impatient one that gives up soon. */
  static QfsClient hasty(QfsTestServer qfs) {
    return impatient(qfs, SHORT_DEADLINE);
  }

  private static QfsClient impatient(QfsTestServer qfs, Duration deadline) {
    return QfsClient.connect(
        settings(qfs)
            .withConnection(ConnectionSettings.DEFAULTS.withRequest(REQUEST))
            .withRetry(new RetrySettings(deadline, Duration.ofMillis(5), Duration.ofMillis(100)))
            .withTransfer(new TransferSettings(64 << 10, 4)));
  }

  static void write(QfsClient client, String path, byte[] bytes, int replicas) throws IOException {
    try (QfsOutput out = client.create(path, new CreateOptions(replicas, 0644, true))) {
      out.write(bytes, 0, bytes.length);
    }
  }

  static byte[] read(QfsClient client, String path) throws IOException {
    try (QfsInput in = client.open(path)) {
      return in.stream(0).readAllBytes();
    }
  }
}

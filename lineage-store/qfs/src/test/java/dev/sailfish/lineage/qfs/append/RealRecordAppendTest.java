package dev.sailfish.lineage.qfs.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.lang.ProcessBuilder.Redirect;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Record append against the QFS whose metaserver is at {@code QFS_META}, {@code host:port}. When
 * {@code QFS_KILL} is set it is a command that kills one of its chunkservers, and is run when half
 * of the records are in. {@code QFS_COPIES} is how many copies a chunk has.
 */
@Seeded
@EnabledIfEnvironmentVariable(
    named = "QFS_META",
    matches = ".+",
    disabledReason = "QFS_META=host:port names no QFS to append to")
class RealRecordAppendTest {
  private static final int WRITERS = 16;
  private static final int RECORDS = 600;
  private static final int BYTES = 20_000;

  /** As many as the QFS has chunkservers, unless said otherwise: the killed one has the chunk. */
  private static final int COPIES =
      Integer.parseInt(System.getenv().getOrDefault("QFS_COPIES", "3"));

  @Test
  @Timeout(300)
  void noRecordIsLostOrThereTwice(Seed seed) throws Exception {
    String path = "/sailfish-append-" + Long.toHexString(seed.value());
    HostPort meta = HostPort.parse(System.getenv("QFS_META"));
    try (QfsClient client = QfsClient.connect(QfsSettings.of(meta))) {
      client.meta().create(path, new CreateOptions(COPIES, 0644, false));
      try (RecordAppendFile file = RecordAppendFile.open(client, path, AppendSettings.DEFAULTS);
          Writers writers = new Writers(file, WRITERS, RECORDS, BYTES, BYTES, seed.value())) {
        String kill = System.getenv("QFS_KILL");
        if (kill != null) {
          kill(kill, writers);
        }
        writers.await();
        assertThat(writers.appended()).isEqualTo(WRITERS * RECORDS);
        AppendedRecords.assertEachOnceInOrder(client, path, file.makeStable(), WRITERS, RECORDS);
      } finally {
        client.meta().remove(path);
      }
    }
  }

  private static void kill(String command, Writers writers) throws Exception {
    writers.allow(WRITERS * RECORDS * 3 / 4);
    await().atMost(2, TimeUnit.MINUTES).until(() -> writers.appended() > WRITERS * RECORDS / 2);
    Process killer =
        new ProcessBuilder("sh", "-c", command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    assertThat(killer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(killer.exitValue()).isZero();
  }
}

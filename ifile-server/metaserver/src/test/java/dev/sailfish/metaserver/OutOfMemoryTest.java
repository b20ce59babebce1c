package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A metaserver whose heap is too small ends, so that a supervisor starts it again. */
@Timeout(180)
class OutOfMemoryTest {
  private static final int PARTITIONS = 20_000;
  private static final int MAPS = 10;
  private static final String JOB = "job_1_1";

  @TempDir private Path directory;

  /** What the journal has does not fit: the process must not stay, serving nothing. */
  @Test
  void aJournalThatDoesNotFitEndsTheProcess() throws Exception {
    try (MetaserverProcess metaserver = MetaserverProcess.in(directory)) {
      metaserver.launch("-Xmx512m", "-XX:+UseSerialGC");
      metaserver.awaitLead();
      fill(metaserver);
      metaserver.kill();
      metaserver.launch("-Xmx32m", "-XX:MaxDirectMemorySize=256m", "-XX:+UseSerialGC");
      assertThat(metaserver.awaitExit(Duration.ofSeconds(90)))
          .as(metaserver.log())
          .isEqualTo(ErrorGuard.EXIT_CODE);
      assertThat(metaserver.log())
          .contains("met an error that cannot be handled: java.lang.OutOfMemoryError")
          .contains("start it again, with a larger heap");
      metaserver.launch("-Xmx512m", "-XX:+UseSerialGC");
      metaserver.awaitLead();
      try (MetaserverClient client = metaserver.connect()) {
        assertThat(client.describeJob(JOB, 7).getChunksCount()).isEqualTo(MAPS);
      }
    }
  }

  /** Empty while nobody leads. */
  private static Optional<Integer> bindings(MetaserverClient client, BindRequest asked)
      throws IOException {
    try {
      return Optional.of(client.bind(asked).getBindingsCount());
    } catch (RemoteException e) {
      if (e.status() != Status.NOT_LEADER) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /** Chunks of one appender each. */
  private static void fill(MetaserverProcess metaserver) throws Exception {
    try (MetaserverClient client = metaserver.connect();
        Connection server =
            Connection.open(metaserver.address(), "chunkserver s1", MetaserverProcess.DEADLINE)) {
      server.call(
          IfileService.REGISTER_CHUNKSERVER,
          CoreFixture.server("s1").build(),
          RegisterChunkserverResponse.parser());
      client.createIfiles(CoreFixture.job(JOB, PARTITIONS).setChunkBytes(CoreFixture.MIB).build());
      BindRequest.Builder bind = BindRequest.newBuilder().setJob(JOB);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        bind.addTargets(CoreFixture.target(partition));
      }
      for (int map = 0; map < MAPS; map++) {
        BindRequest asked = bind.setMap(map).build();
        // As appenders do: a leader that stood still for a moment steps down, and leads again.
        int bindings =
            await()
                .atMost(MetaserverProcess.DEADLINE)
                .until(() -> bindings(client, asked), Optional::isPresent)
                .orElseThrow();
        assertThat(bindings).isEqualTo(PARTITIONS);
      }
    }
  }
}

package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Manifests that name partitions and no block, at a metaserver with a small heap. */
@Timeout(120)
class ManifestsWithoutBlocksTest {
  private static final int PARTITIONS = 100_000;
  private static final int MAPS = 42;
  private static final String JOB = "job_1_1";

  @TempDir private Path directory;

  @Test
  void areRefusedAndTheMetaserverServesOn() throws IOException {
    CommitManifestRequest.Builder commit = CommitManifestRequest.newBuilder().setJob(JOB);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      commit.addPartitions(
          PartitionManifest.newBuilder()
              .setPartition(partition)
              .setRecords(1L << 40)
              .setRecordBytes(1L << 41)
              .setChecksum(CoreFixture.CHECKSUM));
    }
    try (MetaserverProcess metaserver = MetaserverProcess.in(directory)) {
      metaserver.launch("-Xmx256m");
      metaserver.awaitLead();
      try (MetaserverClient client = metaserver.connect()) {
        client.createIfiles(CoreFixture.job(JOB, PARTITIONS).build());
        for (int map = 0; map < MAPS; map++) {
          commit.setMap(map);
          assertThatThrownBy(() -> client.commitManifest(commit.build()))
              .isInstanceOfSatisfying(
                  RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_REQUEST))
              .hasMessageContaining("has records and no block");
        }
      }
      assertThat(metaserver.isAlive()).isTrue();
      metaserver.awaitLead();
    }
  }
}

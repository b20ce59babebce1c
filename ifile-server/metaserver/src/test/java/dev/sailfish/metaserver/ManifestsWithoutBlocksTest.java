package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Manifests that name partitions and no block, at a metaserver with a small heap. */
@Timeout(240)
class ManifestsWithoutBlocksTest {
  private static final int PARTITIONS = 100_000;
  private static final int MAPS = 42;
  private static final int MILLIONS = 3_600_000;
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
    assertRefused(MAPS, Status.BAD_REQUEST, "has records and no block", commit);
  }

  /** Each has two bytes, and many more as an object. */
  @Test
  void millionsAreRefusedBeforeTheyAreDecoded() throws IOException {
    CommitManifestRequest.Builder partitions = CommitManifestRequest.newBuilder().setJob(JOB);
    PartitionManifest.Builder one = PartitionManifest.newBuilder();
    for (int i = 0; i < MILLIONS; i++) {
      partitions.addPartitions(PartitionManifest.getDefaultInstance());
      one.addBlocks(ChunkBlocks.getDefaultInstance());
    }
    String why = "too many partitions and lists of blocks for this metaserver's heap";
    CommitManifestRequest.Builder blocks = CommitManifestRequest.newBuilder().setJob(JOB);
    assertRefused(4, Status.OVER_LIMIT, why, partitions, blocks.addPartitions(one));
  }

  private void assertRefused(
      int maps, Status status, String why, CommitManifestRequest.Builder... commits)
      throws IOException {
    try (MetaserverProcess metaserver = MetaserverProcess.in(directory)) {
      metaserver.launch("-Xmx256m");
      metaserver.awaitLead();
      try (MetaserverClient client = metaserver.connect()) {
        client.createIfiles(CoreFixture.job(JOB, PARTITIONS).build());
        for (int i = 0; i < maps * commits.length; i++) {
          CommitManifestRequest commit = commits[i % commits.length].setMap(i).build();
          assertThatThrownBy(() -> client.commitManifest(commit))
              .isInstanceOfSatisfying(
                  RemoteException.class, e -> assertThat(e.status()).isEqualTo(status))
              .hasMessageContaining(why);
        }
      }
      assertThat(metaserver.isAlive()).isTrue();
      metaserver.awaitLead();
    }
  }
}

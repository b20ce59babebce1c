package dev.sailfish.metaserver.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** How many objects a manifest becomes, before it is decoded. */
class ManifestPartsTest {
  private static final byte[] GROUP = {(15 << 3) | 3, (15 << 3) | 4};

  private static int count(CommitManifestRequest request) {
    return ManifestParts.count(ByteBuffer.wrap(request.toByteArray()));
  }

  /** The job's name; a partition, and of each chunk the blocks and their numbers. */
  @Test
  void countsWhatAppendersSend() {
    CommitManifestRequest.Builder commit = CommitManifestRequest.newBuilder().setJob("job_1_1");
    assertThat(count(commit.build())).isEqualTo(1);
    commit.setMap(7).addPartitions(CoreFixture.wrote(1, 10)).setMaps(9);
    assertThat(count(commit.build())).isEqualTo(1 + 3);
    commit.addPartitions(CoreFixture.wrote(2, 10, 11));
    assertThat(count(commit.build())).isEqualTo(1 + 3 + 5);
  }

  @Test
  void theShortestPartsOfAppendersAreNotTooShort() {
    PartitionManifest partition = CoreFixture.wrote(0, 10);
    for (int chunks = 1; chunks < 100; chunks++) {
      CommitManifestRequest commit =
          CommitManifestRequest.newBuilder().setJob("j").addPartitions(partition).build();
      assertThat(commit.getSerializedSize() / ManifestParts.FEWEST_BYTES)
          .isGreaterThanOrEqualTo(count(commit));
      ChunkBlocks blocks =
          ChunkBlocks.newBuilder().setChunk(1).addSequences(chunks).addSequences(1).build();
      partition = partition.toBuilder().addBlocks(blocks).build();
    }
  }

  @Test
  void countsWhatIsEmptyOrUnknown() {
    PartitionManifest.Builder partition = PartitionManifest.newBuilder();
    CommitManifestRequest.Builder commit = CommitManifestRequest.newBuilder();
    for (int i = 0; i < 1000; i++) {
      partition.addBlocks(ChunkBlocks.getDefaultInstance());
      commit.addPartitions(PartitionManifest.getDefaultInstance());
    }
    assertThat(count(commit.addPartitions(partition).build())).isEqualTo(2001);
    ByteBuffer groups = ByteBuffer.allocate(100 * GROUP.length);
    while (groups.hasRemaining()) {
      groups.put(GROUP);
    }
    assertThat(ManifestParts.count(groups.flip())).isEqualTo(100);
  }

  @Test
  void countsUpToTheDamage() {
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {(4 << 3) | 2, 0, (4 << 3) | 2, 100});
    assertThat(ManifestParts.count(bytes)).isEqualTo(2);
    assertThat(bytes.remaining()).as("is left for the decoder").isEqualTo(4);
  }
}

package dev.sailfish.metaserver.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Manifests as they are packed: what goes in comes out, and takes few bytes. */
@Seeded
class ManifestTest {
  private static final AttemptId ATTEMPT = new AttemptId(3, 1);
  private static final AttemptId LATER = new AttemptId(3, 4);
  private static final int CHUNKS_PER_PARTITION = 300;
  private static final double MOST_BYTES_PER_PARTITION = 18;

  /** ChunkInfo ids as they are: partition and number are in them, so that both ways are short. */
  private static final PackedManifest.Chunks CHUNKS =
      new PackedManifest.Chunks() {
        @Override
        public int number(int partition, long chunk) {
          return chunk >>> 32 == partition ? (int) chunk : -1;
        }

        @Override
        public long chunk(int partition, int number) {
          return (long) partition << 32 | number;
        }
      };

  private final ManifestArena arena = new ManifestArena(new ManifestMemory());

  private static long large(SplittableRandom random) {
    return random.nextLong() >>> 1 + random.nextInt(63);
  }

  private static PartitionManifest told(SplittableRandom random, int partition) {
    PartitionManifest.Builder told =
        PartitionManifest.newBuilder()
            .setPartition(partition)
            .setRecords(large(random))
            .setRecordBytes(large(random))
            .setRawBytes(large(random))
            .setChecksum(random.nextLong());
    for (int c = random.nextInt(1, 4); c > 0; c--) {
      ChunkBlocks.Builder blocks =
          ChunkBlocks.newBuilder()
              .setChunk(CHUNKS.chunk(partition, random.nextInt(CHUNKS_PER_PARTITION)));
      int first = random.nextInt(2);
      for (int pairs = random.nextInt(1, 4); pairs > 0; pairs--) {
        int count = random.nextInt(1, 1 + (1 << random.nextInt(26)));
        blocks.addSequences(first).addSequences(count);
        first += count + random.nextInt(1 << random.nextInt(26));
      }
      told.addBlocks(blocks);
    }
    return told.build();
  }

  private static List<PartitionManifest> told(SplittableRandom random) {
    List<PartitionManifest> told = new ArrayList<>();
    int partition = 0;
    for (int i = random.nextInt(200); i > 0; i--) {
      partition += random.nextInt(4) == 0 ? random.nextInt(1, 5000) : 1;
      told.add(told(random, partition));
    }
    return told;
  }

  private Manifest stored(AttemptId attempt, List<PartitionManifest> told, Manifest earlier)
      throws RequestRefusedException {
    byte[] packed =
        PackedManifest.of(attempt, told, CHUNKS, id -> id.equals(ATTEMPT) ? earlier : null);
    Manifest manifest = new Manifest(arena, CHUNKS, attempt, packed);
    assertThat(manifest.sameAs(packed)).isTrue();
    return manifest;
  }

  @RepeatedTest(200)
  void keepsWhatItWasTold(SplittableRandom random) throws RequestRefusedException {
    List<PartitionManifest> told = told(random);
    Manifest manifest = stored(ATTEMPT, told, null);
    List<PartitionManifest> kept = new ArrayList<>();
    manifest.forEach(entry -> kept.add(entry.partition()));
    assertThat(kept).isEqualTo(told);
    assertThat(manifest.ownRawBytes())
        .isEqualTo(told.stream().mapToLong(PartitionManifest::getRawBytes).sum());
    int next = 0;
    for (PartitionManifest partition : told) {
      if (next < partition.getPartition()) {
        assertThat(manifest.find(next)).isNull();
        assertThat(manifest.find(random.nextInt(next, partition.getPartition()))).isNull();
        assertThat(manifest.find(partition.getPartition() - 1)).isNull();
      }
      assertThat(manifest.find(partition.getPartition()).partition()).isEqualTo(partition);
      next = partition.getPartition() + 1;
      WinnerManifest.Builder winner = WinnerManifest.newBuilder();
      manifest.describe(partition.getPartition(), winner);
      assertThat(winner.getBlocksList()).isEqualTo(partition.getBlocksList());
      assertThat(winner.getRawBytes()).isEqualTo(partition.getRawBytes());
      assertThat(winner.getBlockAttempt()).isEqualTo(ATTEMPT.attempt());
    }
    assertThat(manifest.find(next)).isNull();
    assertThat(manifest.find(Integer.MAX_VALUE)).isNull();
  }

  @RepeatedTest(50)
  void keepsWhoWroteHeldPartitions(SplittableRandom random) throws RequestRefusedException {
    List<PartitionManifest> first = told(random);
    Manifest earlier = stored(ATTEMPT, first, null);
    List<PartitionManifest> told = new ArrayList<>();
    long own = 0;
    for (PartitionManifest partition : first) {
      if (random.nextBoolean()) {
        told.add(
            partition.toBuilder()
                .clearBlocks()
                .setRawBytes(0)
                .setHeldBy(ATTEMPT.attempt() + 1)
                .build());
      } else {
        told.add(told(random, partition.getPartition()));
        own += told.get(told.size() - 1).getRawBytes();
      }
    }
    Manifest later = stored(LATER, told, earlier);
    assertThat(later.ownRawBytes()).isEqualTo(own);
    for (int i = 0; i < told.size(); i++) {
      ManifestEntry entry = later.find(told.get(i).getPartition());
      boolean held = told.get(i).getHeldBy() != 0;
      assertThat(entry.blockAttempt()).isEqualTo(held ? ATTEMPT.attempt() : LATER.attempt());
      assertThat(entry.partition()).isEqualTo(held ? first.get(i) : told.get(i));
    }
  }

  /** 128 MB of map output with records of 100 bytes, in 2000 partitions of one block each. */
  @Test
  void aPartitionOfOneBlockTakesFewBytes(SplittableRandom random) throws RequestRefusedException {
    int partitions = 2000;
    List<PartitionManifest> told = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      told.add(typical(random, partition));
    }
    int bytes = PackedManifest.of(ATTEMPT, told, CHUNKS, id -> null).length;
    assertThat((double) bytes / partitions)
        .as("bytes per map and partition")
        .isLessThan(MOST_BYTES_PER_PARTITION);
  }

  static PartitionManifest typical(SplittableRandom random, int partition) {
    long records = random.nextInt(590, 690);
    return PartitionManifest.newBuilder()
        .setPartition(partition)
        .setRecords(records)
        .setRecordBytes(100 * records)
        .setRawBytes(102 * records)
        .setChecksum(random.nextLong())
        .addBlocks(
            ChunkBlocks.newBuilder()
                .setChunk(CHUNKS.chunk(partition, random.nextInt(5)))
                .addSequences(0)
                .addSequences(1))
        .build();
  }
}

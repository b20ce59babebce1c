package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.IndexedBlockCursor;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How the blocks of a job with a comparator are laid out; {@link Emitted} looks into them. */
@Seeded
@Timeout(120)
class RunEncoderTest {
  private static final KeyOrder ORDER = KeyOrder.of(Keys.BY_LAST_BYTE);

  /** Appends records with values of these lengths to one partition; returns what arrived. */
  private static List<FakeCluster.Stored> append(
      SplittableRandom random, CodecId codec, double repeated, int... lengths) throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 1, ORDER, codec);
    try (FakeCluster cluster =
            new FakeCluster(1, 64 << 20, (server, block) -> FakeCluster.Fault.NONE);
        Iappender appender = Iappender.open(Configs.memory(cluster, 16 << 20), spec, 3, 1)) {
      Emitted emitted = new Emitted(ORDER);
      for (int length : lengths) {
        byte[] value = TestBytes.compressible(random, length, repeated);
        emitted.append(appender, 0, TestBytes.random(random, random.nextInt(300)), value);
      }
      long committed = appender.commit();
      emitted.verify(cluster, committed, appender.rawBytes());
      return Emitted.blocks(cluster).get(0);
    }
  }

  /** The blocks in one that was appended: of a run, or itself. */
  private static List<BlockHeader> inside(FakeCluster.Stored stored) throws IOException {
    IndexedBlockCursor cursor = new IndexedBlockCursor(ByteBuffer.wrap(stored.payload()));
    cursor.reset(new PlacedBlock(0, stored.header()));
    List<BlockHeader> headers = new ArrayList<>();
    while (cursor.next()) {
      headers.add(cursor.block().header());
      assertThat(cursor.firstKey(new byte[RunDescriptor.MAX_KEY_LENGTH]))
          .as("every block has a first key, by the server's means")
          .isNotEqualTo(RunDescriptor.NO_KEY);
    }
    return headers;
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void aRunHasBlocksOfOneSize(CodecId codec, SplittableRandom random) throws IOException {
    int[] lengths = random.ints(20_000, 0, 300).toArray();
    for (int i = 0; i < 20; i++) {
      lengths[random.nextInt(lengths.length)] = random.nextInt(150_000);
    }
    List<FakeCluster.Stored> appended = append(random, codec, 0.5, lengths);
    assertThat(inside(appended.get(0)))
        .hasSizeGreaterThan(10)
        .anyMatch(block -> block.codec() == codec);
    for (FakeCluster.Stored stored : appended) {
      int last = 2 * RunDescriptor.BLOCK_BYTES;
      List<BlockHeader> blocks = inside(stored);
      for (BlockHeader block : blocks) {
        assertThat(block.records() == 1 || block.rawLength() <= RunDescriptor.BLOCK_BYTES).isTrue();
        assertThat(last + block.rawLength()).isGreaterThan(RunDescriptor.BLOCK_BYTES);
        last = block.rawLength();
      }
    }
  }

  @Test
  void aSmallBufferIsAPlainBlockUnlessItIsCompressed(SplittableRandom random) throws IOException {
    BlockHeader plain = append(random, CodecId.NONE, 0.5, 100, 200, 300).get(0).header();
    assertThat(plain.isRun()).isFalse();
    assertThat(plain.sorted()).isTrue();
    FakeCluster.Stored run = append(random, CodecId.LZ4, 0.9, 4000, 200, 300).get(0);
    assertThat(run.header().isRun()).isTrue();
    assertThat(inside(run)).singleElement().matches(block -> block.codec() == CodecId.LZ4);
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void aLongRecordIsABlockThatHasItsKey(CodecId codec, SplittableRandom random) throws IOException {
    for (double repeated : new double[] {0.9, 0}) {
      List<FakeCluster.Stored> blocks = append(random, codec, repeated, 10, 9 << 20, 10);
      assertThat(blocks).hasSize(3);
      FakeCluster.Stored longest = blocks.get(1);
      assertThat(longest.header().rawLength()).isGreaterThan(9 << 20);
      assertThat(longest.header().isRun()).isEqualTo(codec != CodecId.NONE);
      assertThat(inside(longest)).hasSize(1);
    }
  }
}

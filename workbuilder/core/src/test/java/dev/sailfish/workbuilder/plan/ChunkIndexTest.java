package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.ChunkTailWriter;
import dev.sailfish.format.tail.IndexSummary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChunkIndexTest {
  private static final int BLOCK_BYTES = 64 << 10;
  private static final int BLOCKS = 8;

  private final ChunkTail tail;

  /** A chunk of one run: a block for each of the keys from a on. */
  ChunkIndexTest() throws FormatException {
    ChunkTailWriter writer = new ChunkTailWriter(Ordering.NORMALIZED);
    BlockHeader block =
        new BlockHeader(CodecId.NONE, 0, 0, 0, 0, 0, 10, BLOCK_BYTES, BLOCK_BYTES, 0);
    int offset = ChunkHeader.LENGTH;
    for (int i = 0; i < BLOCKS; i++, offset += block.blockLength()) {
      writer.addEntry(0, offset, block, new byte[] {(byte) ('a' + i)}, 1);
    }
    ByteBuffer chunk = ByteBuffer.allocate(offset + writer.length());
    writer.write(chunk, offset);
    tail = ChunkTail.read(chunk, chunk.capacity());
  }

  /** What a server answers that has so much room. */
  private IndexSummary summary(int room) throws FormatException {
    ByteBuffer out = ByteBuffer.allocate(room);
    IndexSummary.write(tail, 7, 0, 2 * BLOCK_BYTES, out);
    List<IndexSummary> summaries = new ArrayList<>();
    IndexSummary.read(out.flip(), summaries);
    return summaries.get(0);
  }

  private static ReducePlan plan(ChunkIndex index) {
    return ReducePlanner.plan(
        List.of(new PartitionData(10 * BLOCKS, BLOCKS * BLOCK_BYTES, List.of(index))),
        new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), null),
        ReducePolicy.auto(WorkTarget.given(4 * BLOCK_BYTES), 9));
  }

  @Test
  void shouldPlanWithWhatServersAnswer() throws FormatException {
    ChunkIndex index = ChunkIndex.of(summary(1 << 20));
    assertThat(index.chunk()).isEqualTo(7);
    assertThat(index.entries()).hasSize(4);
    ReducePlan plan = plan(index);
    assertThat(plan.works()).extracting(ReduceWork::records).containsExactly(40L, 40L);
    assertThat(plan.works().get(0).to()).isEqualTo(new byte[] {'e'});
  }

  @Test
  void shouldNotPlanWithPartOfAnAnswer() throws FormatException {
    ChunkIndex index = ChunkIndex.of(summary(IndexSummary.MIN_ROOM + 50));
    assertThat(index).isEqualTo(ChunkIndex.missing(7));
    assertThat(plan(index).refusals())
        .containsExactly(new Refusal(0, "the index of chunk 7 is missing"));
  }
}

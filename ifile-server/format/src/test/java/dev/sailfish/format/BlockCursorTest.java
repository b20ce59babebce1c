package dev.sailfish.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BlockCursorTest {
  private static final int PARTITION = 3;
  private static final int STORED = 10;
  private static final int BLOCKS = 3;

  private static ChunkHeader chunkHeader(Ordering ordering, boolean encrypted) {
    return new ChunkHeader("job", PARTITION, 9, ordering, CodecId.NONE, encrypted);
  }

  private static BlockHeader block(int flags, int partition, int map) {
    int stored = (flags & BlockHeader.FLAG_ENCRYPTED) == 0 ? STORED : STORED + 40;
    return new BlockHeader(CodecId.NONE, flags, partition, map, 0, 0, 1, STORED, stored, 0);
  }

  private static ByteBuffer chunk() {
    int block = BlockHeader.LENGTH + STORED;
    ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.LENGTH + BLOCKS * block);
    chunkHeader(Ordering.NORMALIZED, false).write(chunk);
    for (int i = 0; i < BLOCKS; i++) {
      block(0, PARTITION, i).write(chunk, ChunkHeader.LENGTH + i * block, ChunkHeader.mark(chunk));
    }
    return chunk;
  }

  @Test
  void passesEveryBlockOnce() throws FormatException {
    ByteBuffer chunk = chunk();
    BlockCursor cursor = new BlockCursor(chunk, chunk.capacity());
    int end = ChunkHeader.LENGTH;
    for (int i = 0; i < BLOCKS; i++) {
      PlacedBlock block = cursor.next();
      assertThat(block.offset()).isEqualTo(end);
      assertThat(block.header().map()).isEqualTo(i);
      assertThat(block.storedOffset()).isEqualTo(end + BlockHeader.LENGTH);
      end = block.end();
      assertThat(cursor.position()).isEqualTo(end);
    }
    assertThat(cursor.next()).isNull();
    assertThat(end).isEqualTo(chunk.capacity());
  }

  @Test
  void staysBehindTheLastGoodBlock() throws FormatException {
    ByteBuffer chunk = chunk();
    BlockCursor cut = new BlockCursor(chunk, chunk.capacity() - 1);
    cut.next();
    PlacedBlock second = cut.next();
    assertThatThrownBy(cut::next).isInstanceOf(TruncatedFormatException.class);
    assertThat(cut.position()).isEqualTo(second.end());

    block(0, PARTITION + 1, 2).write(chunk, second.end());
    BlockCursor strange = new BlockCursor(chunk, chunk.capacity());
    strange.next();
    strange.next();
    assertThatThrownBy(strange::next)
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("partition=4 expected=3");
    assertThat(strange.position()).isEqualTo(second.end());
  }

  @Test
  void skipsRoomThatNeverBecameABlock() throws FormatException {
    ByteBuffer chunk = chunk();
    PlacedBlock first = new BlockCursor(chunk, chunk.capacity()).next();
    int records = first.end() + 24;
    chunk.putInt(records, ~chunk.getInt(records));
    BlockCursor cursor = new BlockCursor(chunk, chunk.capacity());
    for (int i = 1; i <= BLOCKS; i++) {
      assertThat(cursor.skipMarked()).isTrue();
    }
    assertThat(cursor.skipMarked()).isFalse();
    assertThat(cursor.position()).isEqualTo(chunk.capacity());
    assertThatThrownBy(() -> PlacedBlock.read(chunk, first.end(), chunk.capacity()))
        .isInstanceOf(CorruptFormatException.class);
  }

  @Test
  void aChunkTakesWhatMapsAppendToItsPartition() {
    ChunkHeader plain = chunkHeader(Ordering.NORMALIZED, false);
    assertThat(plain.takes(block(0, PARTITION, 0))).isTrue();
    assertThat(plain.takes(block(BlockHeader.FLAG_SORTED, PARTITION, 0))).isTrue();
    assertThat(plain.takes(block(0, PARTITION + 1, 0))).isFalse();
    assertThat(plain.takes(block(0, PARTITION, BlockHeader.NO_MAP))).isFalse();
    assertThat(plain.takes(block(BlockHeader.FLAG_TAGGED, PARTITION, 0))).isFalse();
    assertThat(plain.takes(block(BlockHeader.FLAG_ENCRYPTED, PARTITION, 0))).isFalse();
    ChunkHeader encrypted = chunkHeader(Ordering.NORMALIZED, true);
    assertThat(encrypted.takes(block(BlockHeader.FLAG_ENCRYPTED, PARTITION, 0))).isTrue();
    assertThat(encrypted.takes(block(0, PARTITION, 0))).isFalse();
    ChunkHeader compared = chunkHeader(Ordering.COMPARATOR, false);
    assertThat(compared.takes(block(0, PARTITION, 0))).isFalse();
    assertThat(compared.takes(block(BlockHeader.FLAG_SORTED, PARTITION, 0))).isTrue();
  }
}

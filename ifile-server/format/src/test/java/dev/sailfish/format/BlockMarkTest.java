package dev.sailfish.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The mark that says which chunk a block was appended to. */
class BlockMarkTest {
  private static final int MARK = 0x80c0ffee;
  private static final int AT = 5;
  private static final int STORED = 100;

  private final BlockHeader block =
      new BlockHeader(CodecId.LZ4, 0, 3, 7, 1, 2, 10, 200, STORED, 0x12345678);
  private final ByteBuffer buffer = ByteBuffer.allocate(AT + BlockHeader.LENGTH + STORED);

  private int length(int limit, int mark) {
    return BlockHeader.markedLength(buffer, AT, limit, mark);
  }

  @Test
  void shouldBeCoveredByTheChecksumAndNoPartOfTheBlock() throws FormatException {
    block.write(buffer, AT, MARK);
    assertThat(buffer.getInt(AT + 40)).isEqualTo(MARK);
    assertThat(BlockHeader.read(buffer, AT, buffer.capacity())).isEqualTo(block);
    buffer.put(AT + 41, (byte) 0);
    assertThatThrownBy(() -> BlockHeader.read(buffer, AT, buffer.capacity()))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("header is damaged");
    block.write(buffer, AT);
    assertThat(buffer.getInt(AT + 40)).isZero();
  }

  @Test
  void shouldLeadPastABlockOfThisChunkOnly() {
    block.write(buffer, AT, MARK);
    int limit = buffer.capacity();
    assertThat(length(limit, MARK)).isEqualTo(BlockHeader.LENGTH + STORED);
    assertThat(length(limit, MARK + 1)).isZero();
    assertThat(length(limit - 1, MARK)).as("longer than what is there").isZero();
    assertThat(length(AT + BlockHeader.LENGTH - 1, MARK)).as("no room for a header").isZero();
    assertThat(length(AT, MARK)).isZero();
    buffer.putInt(AT + 32, -1);
    assertThat(length(limit, MARK)).as("a length that is none").isZero();
    buffer.putInt(AT + 32, Integer.MAX_VALUE);
    assertThat(length(limit, MARK)).isZero();
    block.write(buffer, AT, MARK);
    buffer.put(AT, (byte) 'X');
    assertThat(length(limit, MARK)).as("no magic").isZero();
  }

  @Test
  void shouldLeadPastAHeaderThatIsBeingOverwrittenByAVoidBlock() {
    ByteBuffer after = ByteBuffer.allocate(buffer.capacity());
    BlockHeader.ofVoid(3, STORED, 0x7777).write(after, AT, MARK);
    for (int written = 0; written <= BlockHeader.LENGTH; written++) {
      block.write(buffer, AT, MARK);
      buffer.put(AT, after, AT, written);
      assertThat(length(buffer.capacity(), MARK))
          .as("bytes written=%d", written)
          .isEqualTo(BlockHeader.LENGTH + STORED);
    }
  }

  @Test
  void shouldTellChunksApart() {
    ByteBuffer one = ByteBuffer.allocate(ChunkHeader.LENGTH);
    ByteBuffer other = ByteBuffer.allocate(ChunkHeader.LENGTH);
    new ChunkHeader("job_1", 3, 8, Ordering.NORMALIZED, CodecId.LZ4).write(one);
    new ChunkHeader("job_1", 3, 9, Ordering.NORMALIZED, CodecId.LZ4).write(other);
    assertThat(ChunkHeader.mark(one)).isEqualTo(one.getInt(124)).isNotEqualTo(other.getInt(124));
  }
}

package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.tail.ChunkTail;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Chunks in which an append left a hole behind. */
class VoidBlockTest {
  private static final int PARTITION = 3;
  private static final int VOID_BYTES = 1000;
  private static final SorterConfig CONFIG = new SorterConfig(1 << 20, 1 << 16);

  private final ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 16);
  private int length = ChunkHeader.LENGTH;

  @Test
  void shouldSortWhatIsBesideTheHole() throws FormatException {
    SortResult result = sorted(Ordering.NORMALIZED, 0);
    assertThat(result.records()).isEqualTo(2);
    assertThat(result.runs()).isEqualTo(1);
  }

  @Test
  void shouldSortBlocksThatAnAppenderSortedBefore() throws FormatException {
    assertThat(sorted(Ordering.NORMALIZED, BlockHeader.FLAG_SORTED).records()).isEqualTo(2);
  }

  @Test
  void shouldIndexWhatIsBesideTheHole() throws FormatException {
    fill(Ordering.COMPARATOR, BlockHeader.FLAG_SORTED);
    SortResult result = new ChunkSorter(CONFIG).index(chunk, length, chunk);
    ChunkTail tail = tail(chunk, result);
    assertThat(tail.sources()).isEqualTo(2);
    assertThat(tail.entries()).isEqualTo(2);
    assertThat(tail.entryOffset(1)).isGreaterThan(tail.entryOffset(0) + VOID_BYTES);
  }

  @Test
  void shouldMakeAnEmptyChunkOfNothingButAHole() throws FormatException {
    new ChunkHeader("job", PARTITION, 1, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
    appendVoid();
    ByteBuffer output = ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(chunk, length));
    SortResult result = new ChunkSorter(CONFIG).sort(chunk, length, output);
    assertThat(result.records()).isZero();
    assertThat(tail(output, result).sources()).isZero();
  }

  private SortResult sorted(Ordering ordering, int flags) throws FormatException {
    fill(ordering, flags);
    ByteBuffer output = ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(chunk, length));
    SortResult result = new ChunkSorter(CONFIG).sort(chunk, length, output);
    assertThat(tail(output, result).sources()).isEqualTo(2);
    return result;
  }

  private void fill(Ordering ordering, int flags) {
    new ChunkHeader("job", PARTITION, 1, ordering, CodecId.NONE).write(chunk);
    appendRecord(0, flags);
    appendVoid();
    appendRecord(1, flags);
  }

  private static ChunkTail tail(ByteBuffer bytes, SortResult result) throws FormatException {
    int tailLength = result.length() - result.tailOffset();
    return ChunkTail.parse(bytes.slice(result.tailOffset(), tailLength), tailLength);
  }

  private void appendRecord(int sequence, int flags) {
    byte[] raw = new byte[3];
    RecordDescriptor.putHeader(raw, 0, 1, 0);
    raw[2] = (byte) ('z' - sequence);
    append(
        new BlockHeader(
            CodecId.NONE, flags, PARTITION, 5, 0, sequence, 1, 3, 3, Checksum.of(raw, 0, 3)),
        raw);
  }

  private void appendVoid() {
    byte[] zeros = new byte[VOID_BYTES];
    append(BlockHeader.ofVoid(PARTITION, VOID_BYTES, Checksum.of(zeros, 0, VOID_BYTES)), zeros);
  }

  private void append(BlockHeader header, byte[] stored) {
    header.write(chunk, length);
    chunk.put(length + BlockHeader.LENGTH, stored);
    length += header.blockLength();
  }
}

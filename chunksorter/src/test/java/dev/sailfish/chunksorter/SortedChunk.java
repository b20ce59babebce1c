package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunksorter.TestChunk.TestBlock;
import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.format.tail.ChunkTail;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A sorted chunk read back record by record, and the reference it must equal. */
final class SortedChunk {
  private static final Comparator<TestBlock> SOURCE_ORDER =
      Comparator.comparingInt(TestBlock::map)
          .thenComparingInt(TestBlock::attempt)
          .thenComparingInt(TestBlock::sequence);

  final ByteBuffer buffer;
  final SortResult result;
  final ChunkTail tail;

  /** A record with the ordinal of the source it came from. */
  record TaggedRecord(int source, TestRecord record) {}

  private SortedChunk(ByteBuffer buffer, SortResult result) throws FormatException {
    this.buffer = buffer;
    this.result = result;
    tail = ChunkTail.read(buffer, result.length());
    assertThat(tail.offset()).isEqualTo(result.tailOffset());
  }

  /** Sorts {@code chunk} into a buffer of just the promised length. */
  static SortedChunk of(ChunkSorter sorter, TestChunk chunk) throws FormatException {
    ByteBuffer appended = chunk.buffer(0);
    long bound = ChunkSorter.maxSortedLength(appended, chunk.length());
    ByteBuffer output = ByteBuffer.allocateDirect((int) bound);
    return new SortedChunk(output, sorter.sort(appended, chunk.length(), output));
  }

  /** Sorts chunks together into a buffer of just the promised length. */
  static SortedChunk of(ChunkSorter sorter, List<TestChunk> chunks) throws FormatException {
    List<StableChunk> stable = chunks.stream().map(TestChunk::stable).toList();
    long bound = ChunkSorter.maxSortedLength(stable);
    ByteBuffer output = ByteBuffer.allocateDirect((int) bound);
    return new SortedChunk(output, sorter.sortTogether(stable, output, null));
  }

  byte[] bytes() {
    byte[] bytes = new byte[result.length()];
    buffer.get(0, bytes);
    return bytes;
  }

  /** The blocks that count, in the order of their ordinals. */
  static List<TestBlock> sources(TestChunk chunk) {
    List<TestBlock> sources = new ArrayList<>();
    for (TestBlock block : chunk.blocks().stream().sorted(SOURCE_ORDER).toList()) {
      TestBlock last = sources.isEmpty() ? null : sources.get(sources.size() - 1);
      if (last == null || SOURCE_ORDER.compare(last, block) != 0) {
        sources.add(block);
      }
    }
    return sources;
  }

  /** What a plain sort of the records of the sources from {@code from} to {@code to} gives. */
  static List<TaggedRecord> reference(List<TestBlock> sources, int from, int to) {
    List<TaggedRecord> records = new ArrayList<>();
    for (int source = from; source < to; source++) {
      for (TestRecord record : sources.get(source).records()) {
        records.add(new TaggedRecord(source, record));
      }
    }
    records.sort((left, right) -> Arrays.compareUnsigned(left.record.key(), right.record.key()));
    return records;
  }

  /** Reads all records of a run; checks every block, its index entry and its place on the way. */
  List<TaggedRecord> readRun(int run, int blockBytes) throws FormatException {
    List<TaggedRecord> records = new ArrayList<>();
    int sequence = 0;
    for (int entry = 0; entry < tail.entries(); entry++) {
      if (tail.entryRun(entry) != run) {
        continue;
      }
      int offset = (int) tail.entryOffset(entry);
      BlockHeader header = BlockHeader.read(buffer, offset, result.tailOffset());
      assertThat(header.sorted() && header.tagged()).isTrue();
      assertThat(header.map()).isEqualTo(BlockHeader.NO_MAP);
      assertThat(header.attempt()).isEqualTo(BlockHeader.NO_MAP);
      assertThat(header.sequence()).isEqualTo(sequence++);
      assertThat(header.partition()).isEqualTo(TestChunk.PARTITION);
      assertThat(header.blockLength()).isEqualTo(tail.entryLength(entry));
      assertThat(header.records()).isEqualTo(tail.entryRecords(entry)).isPositive();
      assertThat(header.rawLength()).isEqualTo(tail.entryRawLength(entry));
      assertThat(header.storedLength()).isLessThanOrEqualTo(header.rawLength());
      assertThat(header.rawLength() <= blockBytes || header.records() == 1).isTrue();
      int first = records.size();
      readBlock(header, offset, records);
      byte[] firstKey = records.get(first).record.key();
      assertThat(tail.entryKey(entry))
          .isEqualTo(
              Arrays.copyOf(firstKey, Math.min(firstKey.length, RunDescriptor.MAX_KEY_LENGTH)));
    }
    return records;
  }

  private void readBlock(BlockHeader header, int offset, List<TaggedRecord> records)
      throws FormatException {
    byte[] stored = new byte[header.storedLength()];
    buffer.get(offset + BlockHeader.LENGTH, stored);
    header.checkStored(stored, 0);
    byte[] raw = new byte[header.rawLength()];
    BlockCompression.of(header.codec()).decompress(stored, 0, stored.length, raw, 0, raw.length);
    int[] position = {0};
    int count = 0;
    while (position[0] < raw.length) {
      int source = readVarint(raw, position);
      int valueLength = readVarint(raw, position);
      int keyLength = readVarint(raw, position);
      byte[] key = Arrays.copyOfRange(raw, position[0], position[0] + keyLength);
      position[0] += keyLength;
      byte[] value = Arrays.copyOfRange(raw, position[0], position[0] + valueLength);
      position[0] += valueLength;
      records.add(new TaggedRecord(source, new TestRecord(key, value)));
      count++;
    }
    assertThat(count).isEqualTo(header.records());
  }

  private static int readVarint(byte[] raw, int[] position) {
    int value = Varint.get(raw, position[0], raw.length);
    assertThat(value).isNotEqualTo(Varint.MALFORMED);
    position[0] += Varint.length(value);
    return value;
  }

  /** Checks everything against the reference. */
  void check(TestChunk chunk, int blockBytes) throws FormatException {
    List<TestBlock> sources = sources(chunk);
    assertThat(ChunkHeader.read(buffer, result.length()))
        .isEqualTo(ChunkHeader.read(chunk.buffer(0), chunk.length()));
    assertThat(tail.sources()).isEqualTo(sources.size());
    assertThat(tail.runs()).isEqualTo(result.runs());
    assertThat(tail.records()).isEqualTo(result.records());
    assertThat(tail.rawBytes()).isEqualTo(result.rawBytes());
    checkBlocksAddUp();
    int from = 0;
    for (int run = 0; run < tail.runs(); run++) {
      List<TaggedRecord> records = readRun(run, blockBytes);
      int to = records.stream().mapToInt(TaggedRecord::source).max().orElseThrow() + 1;
      assertSame(records, reference(sources, from, to), run);
      from = to;
    }
    for (int source = 0; source < sources.size(); source++) {
      TestBlock block = sources.get(source);
      assertThat(tail.sourceMap(source)).isEqualTo(block.map());
      assertThat(tail.sourceAttempt(source)).isEqualTo(block.attempt());
      assertThat(tail.sourceSequence(source)).isEqualTo(block.sequence());
      assertThat(tail.sourceRecords(source)).isEqualTo(block.records().size());
      assertThat(source < from || block.records().isEmpty()).isTrue();
    }
  }

  private void checkBlocksAddUp() {
    long end = ChunkHeader.LENGTH;
    for (int entry = 0; entry < tail.entries(); entry++) {
      assertThat(tail.entryOffset(entry)).isEqualTo(end);
      end += tail.entryLength(entry);
    }
    assertThat(end).isEqualTo(result.tailOffset());
  }

  private static void assertSame(List<TaggedRecord> actual, List<TaggedRecord> expected, int run) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < actual.size(); i++) {
      TaggedRecord left = actual.get(i);
      TaggedRecord right = expected.get(i);
      boolean same =
          left.source() == right.source()
              && Arrays.equals(left.record().key(), right.record().key())
              && Arrays.equals(left.record().value(), right.record().value());
      if (!same) {
        throw new AssertionError(
            "record differs: run="
                + run
                + " i="
                + i
                + " source="
                + left.source()
                + " expected="
                + right.source()
                + " key="
                + Arrays.toString(left.record().key())
                + " expected="
                + Arrays.toString(right.record().key()));
      }
    }
  }
}

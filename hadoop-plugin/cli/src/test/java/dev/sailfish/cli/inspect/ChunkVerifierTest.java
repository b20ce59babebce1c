package dev.sailfish.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.ChunkTailWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChunkVerifierTest {
  private static final int VERSION_OFFSET = 8;
  private static final int HEADER_CHECKSUM_OFFSET = 124;

  @TempDir private Path directory;

  private Verdict verify(byte[] bytes) throws IOException {
    return ChunkVerifier.verify(Files.write(directory.resolve("chunk"), bytes));
  }

  private static ChunkBytes threeBlocks(Ordering ordering, CodecId codec) {
    return new ChunkBytes(ordering, codec)
        .append(codec, 5, 0, 40, 31)
        .append(codec, 2, 1, 1, 20)
        .append(codec, 2, 0, 15, 35);
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void goodChunksOfAllStatesAndCodecsAreGood(CodecId codec) throws IOException {
    for (Ordering ordering : Ordering.values()) {
      ChunkBytes chunk = threeBlocks(ordering, codec);
      Verdict open = verify(chunk.appended());
      assertThat(open.line())
          .startsWith("good: ")
          .contains("OPEN or STABLE job=job_1_0007 partition=3 chunk=abcd blocks=3 records=51 ")
          .doesNotContain("trailing");
      Verdict sorted = verify(chunk.sorted());
      assertThat(sorted.line()).startsWith("good: ").contains("SORTED").contains(" sources=3");
      assertThat(sorted.line()).contains(" records=51 ");
    }
  }

  @Test
  void aSortedChunkOfManyBlocksIsGood() throws IOException {
    ChunkBytes chunk = new ChunkBytes(Ordering.NORMALIZED, CodecId.LZ4);
    for (int map = 0; map < 20; map++) {
      chunk.append(CodecId.LZ4, map, 0, 2000, 1);
    }
    assertThat(verify(chunk.sorted()).line()).startsWith("good: ").contains("records=40000");
  }

  @Test
  void aFileOfTwoChunksIsGoodAlsoWithABlockThatIsInBoth() throws IOException {
    ChunkBytes one = threeBlocks(Ordering.NORMALIZED, CodecId.LZ4);
    ChunkBytes other =
        threeBlocks(Ordering.NORMALIZED, CodecId.LZ4).append(CodecId.LZ4, 9, 0, 4, 8);
    assertThat(verify(one.sortedWith(0xabce, other)).line())
        .startsWith("good: ")
        .contains("SORTED")
        .contains("chunk=abcd")
        .contains(" records=107 ")
        .contains(" sources=7");
  }

  @Test
  void anEmptyChunkIsGood() throws IOException {
    for (Ordering ordering : Ordering.values()) {
      ChunkBytes chunk = new ChunkBytes(ordering, CodecId.NONE);
      assertThat(verify(chunk.appended()).line()).startsWith("good: ").contains("OPEN or STABLE");
      assertThat(verify(chunk.sorted()).line()).startsWith("good: ").contains("SORTED");
    }
  }

  @Test
  void voidAndRepeatedBlocksAreToldAndDoNotCount() throws IOException {
    for (Ordering ordering : Ordering.values()) {
      ChunkBytes chunk =
          threeBlocks(ordering, CodecId.NONE).appendVoid(77).append(CodecId.NONE, 2, 0, 15, 35);
      assertThat(verify(chunk.appended()).line())
          .startsWith("good: ")
          .contains("records=51 ")
          .contains("voidBlocks=1 repeatedBlocks=1");
      assertThat(verify(chunk.sorted()).line()).startsWith("good: ").contains("records=51 ");
    }
  }

  @Test
  void whatStandsBehindAChunkIsTold() throws IOException {
    for (Ordering ordering : Ordering.values()) {
      ChunkBytes chunk = threeBlocks(ordering, CodecId.SNAPPY);
      for (byte[] bytes : new byte[][] {chunk.appended(), chunk.sorted()}) {
        assertThat(verify(ChunkBytes.longer(bytes, 4000, 0)).line())
            .startsWith("good: ")
            .contains("trailingBytes=4000 (zeros");
        assertThat(verify(ChunkBytes.longer(bytes, 4000, 9)).line())
            .startsWith("good: ")
            .contains("trailingBytes=4000 (not zero");
      }
    }
  }

  @Test
  void aSortedChunkInAFileThatHeldAnotherIsGood() throws IOException {
    for (Ordering ordering : Ordering.values()) {
      byte[] old = threeBlocks(ordering, CodecId.NONE).sorted();
      byte[] fresh =
          new ChunkBytes(ordering, CodecId.NONE).append(CodecId.NONE, 7, 0, 1, 3).sorted();
      byte[] both = old.clone();
      System.arraycopy(fresh, 0, both, 0, fresh.length);
      assertThat(verify(both).line())
          .startsWith("good: ")
          .contains("SORTED")
          .contains("records=3 ")
          .contains("trailingBytes=" + (old.length - fresh.length));
    }
  }

  @Test
  void everyFlippedByteOfASortedChunkIsDamage() throws IOException {
    for (Ordering ordering : Ordering.values()) {
      for (CodecId codec : new CodecId[] {CodecId.NONE, CodecId.ZSTD}) {
        byte[] good =
            new ChunkBytes(ordering, codec)
                .append(codec, 5, 0, 3, 1)
                .append(codec, 2, 1, 1, 4)
                .sorted();
        for (int i = 0; i < good.length; i++) {
          byte[] bad = good.clone();
          bad[i] ^= 0x10;
          assertThat(verify(bad).line()).as("flipped=%d", i).startsWith("damaged: ");
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void runsAreCheckedBlockByBlock(CodecId codec) throws IOException {
    ChunkBytes chunk =
        new ChunkBytes(Ordering.COMPARATOR, codec)
            .appendRun(codec, 5, 0, 9000, 1, 2500)
            .append(codec, 2, 1, 20, 1)
            .appendRun(codec, 5, 0, 9000, 1, 2500);
    for (byte[] bytes : new byte[][] {chunk.appended(), chunk.sorted()}) {
      assertThat(verify(bytes).line())
          .startsWith("good: ")
          .contains("blocks=3 records=9020 ")
          .contains("repeatedBlocks=1");
    }
    assertThat(verify(chunk.sorted()).line()).contains("runs=2 sources=2");
    byte[] good =
        new ChunkBytes(Ordering.COMPARATOR, codec).appendRun(codec, 5, 0, 3, 1, 3).sorted();
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 0x10;
      assertThat(verify(bad).line()).as("flipped=%d", i).startsWith("damaged: ");
    }
  }

  @Test
  void aRunWithAKeyThatIsNotItsFirstIsCorrupt() throws IOException {
    ChunkBytes other = new ChunkBytes(Ordering.COMPARATOR, CodecId.NONE);
    byte[] bytes = other.appendRun(CodecId.NONE, 5, 0, 3, 1, 3).appended();
    BlockHeader run = BlockHeader.read(ByteBuffer.wrap(bytes), ChunkHeader.LENGTH, bytes.length);
    int stored = ChunkHeader.LENGTH + BlockHeader.LENGTH;
    bytes[stored + Short.BYTES]++;
    run.withStored(run.storedLength(), Checksum.of(bytes, stored, run.storedLength()))
        .write(ByteBuffer.wrap(bytes), ChunkHeader.LENGTH);
    assertThat(verify(ChunkBytes.indexed(bytes)).line())
        .contains("key is not the first of the block");
  }

  @Test
  void everyFlippedByteOfAnAppendedChunkIsDamageOrBehindTheChunk() throws IOException {
    ChunkBytes chunk = new ChunkBytes(Ordering.NORMALIZED, CodecId.NONE);
    chunk.append(CodecId.NONE, 5, 0, 4, 1);
    int last = chunk.length();
    byte[] good = chunk.append(CodecId.NONE, 2, 1, 1, 4).appended();
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 0x10;
      boolean startOfLast = i >= last && i < last + Integer.BYTES;
      assertThat(verify(bad).line())
          .as("flipped=%d", i)
          .startsWith(startOfLast ? "good: " : "damaged: ")
          .contains(startOfLast ? "blocks=1 " : "corrupt: ")
          .contains(startOfLast ? "(not zero" : "");
    }
  }

  @Test
  void everyCutOfASortedChunkIsDamageUnlessAnUnsortedChunkIsLeft() throws IOException {
    for (Ordering ordering : Ordering.values()) {
      byte[] good = threeBlocks(ordering, CodecId.LZO).sorted();
      List<Integer> starts = blockStarts(good);
      for (int length = 0; length < good.length; length++) {
        String line = verify(Arrays.copyOf(good, length)).line();
        if (!isUnsortedChunk(ordering, starts, length)) {
          assertThat(line).as("length=%d", length).contains(": truncated: ");
        } else {
          assertThat(line).as("length=%d", length).contains("OPEN or STABLE");
        }
      }
    }
  }

  /** Offsets at which a block begins, and the end of the last one. */
  private static List<Integer> blockStarts(byte[] sorted) throws FormatException {
    ByteBuffer bytes = ByteBuffer.wrap(sorted);
    int end = ChunkTail.locate(bytes, sorted.length);
    List<Integer> starts = new ArrayList<>(List.of(ChunkHeader.LENGTH));
    for (int at = ChunkHeader.LENGTH; at < end; ) {
      at += BlockHeader.read(bytes, at, end).blockLength();
      starts.add(at);
    }
    return starts;
  }

  /**
   * What is left is the same as a chunk that was never sorted: no block, or with the job's
   * comparator whole blocks, and less behind them than what a block begins with.
   */
  private static boolean isUnsortedChunk(Ordering ordering, List<Integer> starts, int length) {
    List<Integer> possible = ordering == Ordering.COMPARATOR ? starts : starts.subList(0, 1);
    return possible.stream().anyMatch(at -> length >= at && length < at + Integer.BYTES);
  }

  @Test
  void aBlockThatIsCutOffIsTruncated() throws IOException {
    byte[] good = threeBlocks(Ordering.NORMALIZED, CodecId.NONE).appended();
    Verdict verdict = verify(Arrays.copyOf(good, good.length - 1));
    assertThat(verdict.good()).isFalse();
    assertThat(verdict.line()).contains("truncated: ").contains("needed=").contains("offset=");
  }

  @Test
  void aNewerVersionIsTooNewNotCorrupt() throws IOException {
    byte[] bytes = threeBlocks(Ordering.NORMALIZED, CodecId.NONE).sorted();
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    buffer.putShort(VERSION_OFFSET, (short) 3);
    buffer.putInt(HEADER_CHECKSUM_OFFSET, Checksum.of(bytes, 0, HEADER_CHECKSUM_OFFSET));
    assertThat(verify(bytes).line()).contains(": too new: ").contains("version=3");
  }

  @Test
  void aFileThatIsNoChunkIsSaidToBeNone() throws IOException {
    assertThat(verify(new byte[500]).line()).contains("corrupt: not a chunk");
    assertThat(verify(new byte[0]).line()).contains("truncated: ");
  }

  @Test
  void twoBlocksOfOneIdentityMustBeTheSame() throws IOException {
    ChunkBytes chunk =
        threeBlocks(Ordering.NORMALIZED, CodecId.NONE).append(CodecId.NONE, 5, 0, 7, 9);
    assertThat(verify(chunk.appended()).line())
        .startsWith("damaged: ")
        .contains("two different blocks have one identity")
        .contains("map=5 attempt=1 sequence=0");
  }

  @Test
  void aWrongNumberOfRecordsIsCorrupt() throws IOException {
    ChunkBytes chunk = new ChunkBytes(Ordering.NORMALIZED, CodecId.NONE);
    chunk.block(CodecId.NONE, 0, 1, 0, 3, ChunkBytes.records(1, 4));
    assertThat(verify(chunk.appended()).line()).contains("records=4 expected=3");
  }

  @Test
  void recordsOutOfOrderAreCorrupt() throws IOException {
    assertThat(verify(sortedByHand(new int[] {1, 3, 2}, 3, "key 00001")).line())
        .contains("record is out of order: record=2 key is below");
    assertThat(verify(sortedByHand(new int[] {1, 2, 3}, 3, "key 00001")).line())
        .startsWith("good: ");
  }

  @Test
  void indexAndSourceTableMustAddUp() throws IOException {
    assertThat(verify(sortedByHand(new int[] {1, 2, 3}, 3, "key 00002")).line())
        .contains("tail: index entry=0 block offset=128: key is not the first of the block");
    assertThat(verify(sortedByHand(new int[] {1, 2, 3}, 4, "key 00001")).line())
        .contains("records of all sources=4 footer records=3");
  }

  /** One sorted block of untrue or true order, and a tail that says what it is told. */
  private static byte[] sortedByHand(int[] keys, int sourceRecords, String firstKey)
      throws FormatException {
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    int length = 0;
    for (int key : keys) {
      byte[] record = ChunkBytes.records(key, key);
      length += record.length;
      raw.write(0); // source
      raw.writeBytes(record);
    }
    ChunkBytes chunk =
        new ChunkBytes(Ordering.NORMALIZED, CodecId.NONE)
            .block(
                CodecId.NONE,
                BlockHeader.FLAG_SORTED | BlockHeader.FLAG_TAGGED,
                BlockHeader.NO_MAP,
                0,
                keys.length,
                raw.toByteArray());
    byte[] blocks = chunk.appended();
    BlockHeader block =
        BlockHeader.read(ByteBuffer.wrap(blocks), ChunkHeader.LENGTH, blocks.length);
    ChunkTailWriter tail = new ChunkTailWriter(Ordering.NORMALIZED);
    tail.addSource(
        new BlockHeader(
            CodecId.NONE, 0, ChunkBytes.PARTITION, 1, 0, 0, sourceRecords, length, length, 0));
    byte[] key = firstKey.getBytes(StandardCharsets.US_ASCII);
    tail.addEntry(0, ChunkHeader.LENGTH, block, key, key.length);
    ByteBuffer whole = ByteBuffer.allocate(blocks.length + tail.length()).put(0, blocks);
    tail.write(whole, blocks.length);
    return whole.array();
  }
}

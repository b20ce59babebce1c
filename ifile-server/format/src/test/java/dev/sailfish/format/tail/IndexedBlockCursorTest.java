package dev.sailfish.format.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.RunDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What servers find of keys and blocks in one that was appended for a comparator. */
class IndexedBlockCursorTest {
  private static final int AT = ChunkHeader.LENGTH;
  private static final long SEED = Long.getLong("sailfish.seed", System.nanoTime());

  private final SplittableRandom random = new SplittableRandom(SEED);

  IndexedBlockCursorTest() {
    System.out.println("IndexedBlockCursorTest seed=" + SEED);
  }

  private static PlacedBlock placed(ByteBuffer chunk, BlockHeader header, byte[] stored) {
    header.write(chunk, AT);
    chunk.put(AT + BlockHeader.LENGTH, stored);
    return new PlacedBlock(AT, header);
  }

  /** First key and number of records of each block; a dash where there is no key. */
  private static List<String> walk(ByteBuffer chunk, PlacedBlock appended) throws FormatException {
    IndexedBlockCursor cursor = new IndexedBlockCursor(chunk);
    cursor.reset(appended);
    byte[] key = new byte[RunDescriptor.MAX_KEY_LENGTH];
    List<String> found = new ArrayList<>();
    while (cursor.next()) {
      int length = cursor.firstKey(key);
      String text = length < 0 ? "-" : new String(key, 0, length, StandardCharsets.US_ASCII);
      found.add(text + "*" + cursor.block().header().records());
      assertThat(cursor.block().end()).isLessThanOrEqualTo(appended.end());
    }
    return found;
  }

  private static List<String> walk(BlockHeader header, byte[] stored) throws FormatException {
    ByteBuffer chunk = ByteBuffer.allocate(AT + header.blockLength());
    return walk(chunk, placed(chunk, header, stored));
  }

  @Test
  void theBlocksOfARunHaveTheirFirstKeysBeforeThem() throws FormatException {
    byte[] run = SampleChunk.run(3, 7, 5);
    assertThat(walk(SampleChunk.runHeader(run, 3, 7, 5), run))
        .containsExactly("key 0*2", "key 10*3", "key 20*4");
  }

  private static BlockHeader plain(CodecId codec, int flags, int records, byte[] raw, int stored) {
    int all = BlockHeader.FLAG_SORTED | flags;
    return new BlockHeader(codec, all, 3, 7, 1, 0, records, raw.length, stored, 0);
  }

  @Test
  void aPlainBlockTellsItsFirstKeyIfItsRecordsAreAsTheyAre() throws FormatException {
    byte[] raw = SampleChunk.records(4, 60);
    assertThat(walk(plain(CodecId.NONE, 0, 4, raw, raw.length), raw)).containsExactly("key 60*4");
    assertThat(walk(plain(CodecId.LZ4, 0, 4, raw, 9), new byte[9])).containsExactly("-*4");
    int encrypted = raw.length + BlockHeader.ENCRYPTION_OVERHEAD;
    int flag = BlockHeader.FLAG_ENCRYPTED;
    assertThat(walk(plain(CodecId.NONE, flag, 4, raw, encrypted), new byte[encrypted]))
        .containsExactly("-*4");
    byte[] none = {};
    assertThat(walk(plain(CodecId.NONE, 0, 0, none, 0), none)).containsExactly("-*0");
  }

  @Test
  void aLongKeyIsCutAndAnEmptyOneIsAKey() throws FormatException {
    for (int length : new int[] {0, 1, 255, 256, 257, 1000}) {
      byte[] raw = new byte[length + 3];
      Arrays.fill(raw, (byte) 'k');
      int key = RecordDescriptor.putHeader(raw, 0, length, 0);
      byte[] record = Arrays.copyOf(raw, key + length);
      assertThat(walk(plain(CodecId.NONE, 0, 1, record, record.length), record))
          .containsExactly("k".repeat(Math.min(length, RunDescriptor.MAX_KEY_LENGTH)) + "*1");
    }
  }

  @Test
  void aRunWithOtherRecordsThanItSaysIsRefused() {
    byte[] run = SampleChunk.run(3, 7, 5);
    BlockHeader good = SampleChunk.runHeader(run, 3, 7, 5);
    for (BlockHeader bad :
        List.of(
            SampleChunk.runHeader(run, 3, 7, 4),
            SampleChunk.runHeader(run, 3, 8, 5),
            changed(good, good.records() - 1, good.rawLength()),
            changed(good, good.records() + 1, good.rawLength()),
            changed(good, good.records(), good.rawLength() - 1),
            changed(good, good.records(), good.rawLength() + 1))) {
      assertThatThrownBy(() -> walk(bad, run))
          .isInstanceOf(CorruptFormatException.class)
          .hasMessageContaining("offset=");
    }
  }

  private static BlockHeader changed(BlockHeader header, int records, int rawLength) {
    return new BlockHeader(
        header.codec(),
        header.flags(),
        header.partition(),
        header.map(),
        header.attempt(),
        header.sequence(),
        records,
        rawLength,
        header.storedLength(),
        header.storedChecksum());
  }

  /** So what an index takes is bounded by the bytes of records, for any writer. */
  @Test
  void aRunOfTooManyBlocksIsRefused() {
    byte[] raw = SampleChunk.records(1, 0);
    int each = RunDescriptor.KEY_OFFSET + BlockHeader.LENGTH + raw.length;
    ByteBuffer run = ByteBuffer.allocate(2 * each);
    for (int at = 0; at < run.capacity(); at += each) {
      plain(CodecId.NONE, 0, 1, raw, raw.length).write(run, at + RunDescriptor.KEY_OFFSET);
      run.put(at + each - raw.length, raw);
    }
    BlockHeader header =
        new BlockHeader(
            CodecId.NONE,
            BlockHeader.FLAG_SORTED | BlockHeader.FLAG_RUN,
            3,
            7,
            1,
            0,
            2,
            2 * raw.length,
            run.capacity(),
            0);
    assertThatThrownBy(() -> walk(header, run.array()))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("not its own");
  }

  @Test
  void damagedRunsAreRefusedOrInBounds() {
    byte[] good = SampleChunk.run(3, 7, 5);
    int block = good.length / 3;
    int refused = 0;
    for (int round = 0; round < 5000; round++) {
      byte[] run = good.clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        int start = random.nextInt(3) * block;
        run[Math.min(run.length - 1, start + random.nextInt(70))] = (byte) random.nextInt();
      }
      int length = random.nextInt(4) == 0 ? random.nextInt(run.length) : run.length;
      BlockHeader header = SampleChunk.runHeader(Arrays.copyOf(run, length), 3, 7, 5);
      try {
        walk(header, Arrays.copyOf(run, length));
      } catch (FormatException e) {
        refused++;
        assertThat(e).hasMessageContaining("=");
      }
    }
    assertThat(refused).isGreaterThan(2500);
  }

  @Test
  void runsAreForComparatorsAndNeitherEncryptedNorCompressed() throws FormatException {
    byte[] run = SampleChunk.run(3, 7, 5);
    BlockHeader header = SampleChunk.runHeader(run, 3, 7, 5);
    for (Ordering ordering : Ordering.values()) {
      ChunkHeader chunk = new ChunkHeader("job", 3, 1, ordering, CodecId.LZ4);
      assertThat(chunk.takes(header)).isEqualTo(ordering == Ordering.COMPARATOR);
    }
    ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH);
    header.write(bytes, 0);
    assertThat(BlockHeader.read(bytes, 0, BlockHeader.LENGTH)).isEqualTo(header);
    for (int flag : new int[] {BlockHeader.FLAG_TAGGED, BlockHeader.FLAG_ENCRYPTED}) {
      assertRefused(header, CodecId.NONE, header.flags() | flag, header.storedLength());
    }
    assertRefused(header, CodecId.NONE, BlockHeader.FLAG_RUN, header.storedLength());
    assertRefused(header, CodecId.LZ4, header.flags(), header.storedLength());
    int most = header.rawLength() + RunDescriptor.mostOverhead(header.rawLength());
    assertRefused(header, CodecId.NONE, header.flags(), most + 1);
  }

  private static void assertRefused(BlockHeader good, CodecId codec, int flags, int stored) {
    ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH);
    new BlockHeader(codec, flags, 3, 7, 1, 5, good.records(), good.rawLength(), stored, 0)
        .write(bytes, 0);
    assertThatThrownBy(() -> BlockHeader.read(bytes, 0, BlockHeader.LENGTH))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("out of bounds");
  }
}

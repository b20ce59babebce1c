package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An encrypted chunk becomes, when it is decrypted, what the plain one with its records becomes.
 */
@Seeded
class EncryptedChunkTest {
  private static final int RECORDS = 4000;
  private static final byte[] KEY = new byte[DataCipher.KEY_LENGTH];
  private static final SorterConfig CONFIG = new SorterConfig(64 << 20, 64 << 10);

  /** Rebuilds a plain chunk with all of its blocks encrypted. */
  private static ByteBuffer encrypted(TestChunk chunk, CodecId codec) throws FormatException {
    DataCipher cipher = new DataCipher(KEY);
    ByteBuffer plain = chunk.buffer(0);
    int blocks = chunk.blocks().size();
    int length = chunk.length() + blocks * BlockHeader.ENCRYPTION_OVERHEAD;
    ByteBuffer result = ByteBuffer.allocateDirect(length);
    new ChunkHeader(
            "job_1_0001", TestChunk.PARTITION, TestChunk.CHUNK_ID, Ordering.NORMALIZED, codec, true)
        .write(result);
    int to = ChunkHeader.LENGTH;
    for (int i = 0; i < blocks; i++) {
      int from = chunk.offset(i);
      BlockHeader old = BlockHeader.read(plain, from, chunk.length());
      BlockHeader header =
          new BlockHeader(
              old.codec(),
              BlockHeader.FLAG_ENCRYPTED,
              old.partition(),
              old.map(),
              old.attempt(),
              old.sequence(),
              old.records(),
              old.rawLength(),
              0,
              0);
      int stored = to + BlockHeader.LENGTH;
      int storedLength =
          cipher
              .ofBlock(header)
              .encrypt(plain, from + BlockHeader.LENGTH, old.storedLength(), result, stored);
      header = header.withStored(storedLength, Checksum.of(result, stored, storedLength));
      header.write(result, to);
      to += header.blockLength();
    }
    assertThat(to).isEqualTo(length);
    return result;
  }

  private static ByteBuffer room(ByteBuffer chunk) throws FormatException {
    return ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(chunk, chunk.capacity()));
  }

  private static TestChunk chunk(CodecId codec, SplittableRandom random) {
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, codec);
    for (int map = 0; map < 3; map++) {
      List<TestRecord> records = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        records.add(new TestRecord(TestBytes.text(random, 10), TestBytes.text(random, 50)));
      }
      chunk.append(map, 0, 0, codec, records);
    }
    return chunk;
  }

  @ParameterizedTest
  @EnumSource(
      value = CodecId.class,
      names = {"NONE", "LZ4", "ZSTD"})
  void sortsAsItSortsPlainOnes(CodecId codec, SplittableRandom random) throws FormatException {
    TestChunk chunk = chunk(codec, random);
    ChunkSorter sorter = new ChunkSorter(CONFIG);
    SortedChunk plain = SortedChunk.of(sorter, chunk);
    ByteBuffer appended = encrypted(chunk, codec);
    ByteBuffer output = room(appended);
    SortResult result = sorter.sort(appended, appended.capacity(), output, new DataCipher(KEY));
    assertThat(result.records()).isEqualTo(plain.result.records());
    assertThat(result.runs()).isEqualTo(plain.result.runs());
    ChunkTail tail = ChunkTail.read(output, result.length());
    DataCipher reader = new DataCipher(KEY);
    byte[] keys = tail.encryptedKeys();
    ByteBuffer plainKeys = ByteBuffer.allocate(keys.length - BlockHeader.ENCRYPTION_OVERHEAD);
    reader
        .ofIndex(TestChunk.PARTITION, TestChunk.CHUNK_ID, tail.offset())
        .decrypt(ByteBuffer.wrap(keys), 0, keys.length, plainKeys, 0);
    ChunkTail opened = tail.withKeys(plainKeys.array());
    assertThat(opened.entries()).isEqualTo(plain.tail.entries());
    for (int entry = 0; entry < opened.entries(); entry++) {
      assertThat(opened.entryKey(entry)).isEqualTo(plain.tail.entryKey(entry));
      assertSameBlock(plain, output, reader, opened, entry);
    }
  }

  private static void assertSameBlock(
      SortedChunk plain, ByteBuffer output, DataCipher reader, ChunkTail tail, int entry)
      throws FormatException {
    int offset = (int) tail.entryOffset(entry);
    BlockHeader header = BlockHeader.read(output, offset, (int) tail.offset());
    header.checkStored(output, offset + BlockHeader.LENGTH);
    assertThat(header.encrypted()).isTrue();
    int plainOffset = (int) plain.tail.entryOffset(entry);
    BlockHeader expected = BlockHeader.read(plain.buffer, plainOffset, plain.result.length());
    assertThat(header.codec()).isEqualTo(expected.codec());
    assertThat(header.records()).isEqualTo(expected.records());
    ByteBuffer stored = ByteBuffer.allocate(expected.storedLength());
    int length =
        reader
            .ofBlock(header, TestChunk.CHUNK_ID, offset)
            .decrypt(output, offset + BlockHeader.LENGTH, header.storedLength(), stored, 0);
    assertThat(length).isEqualTo(expected.storedLength());
    byte[] expectedBytes = new byte[length];
    plain.buffer.get(plainOffset + BlockHeader.LENGTH, expectedBytes);
    assertThat(stored.array()).isEqualTo(expectedBytes);
  }

  @Test
  void refusesAWrongKey(SplittableRandom random) throws FormatException {
    ByteBuffer appended = encrypted(chunk(CodecId.LZ4, random), CodecId.LZ4);
    byte[] other = KEY.clone();
    other[0]++;
    assertThatThrownBy(
            () ->
                new ChunkSorter(CONFIG)
                    .sort(appended, appended.capacity(), room(appended), new DataCipher(other)))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("map=0 attempt=0 sequence=0")
        .hasMessageContaining("cannot be decrypted");
  }

  @Test
  void refusesToGoWithoutAKey(SplittableRandom random) throws FormatException {
    TestChunk chunk = chunk(CodecId.NONE, random);
    ByteBuffer appended = encrypted(chunk, CodecId.NONE);
    ByteBuffer plain = chunk.buffer(0);
    ChunkSorter sorter = new ChunkSorter(CONFIG);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sorter.sort(appended, appended.capacity(), room(appended)))
        .withMessageContaining("encrypted=true cipher=false");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sorter.sort(plain, plain.capacity(), room(plain), new DataCipher(KEY)))
        .withMessageContaining("encrypted=false cipher=true");
  }

  @Test
  void refusesAPlainBlock(SplittableRandom random) throws FormatException {
    TestChunk chunk = chunk(CodecId.NONE, random);
    ByteBuffer mixed = chunk.buffer(0);
    new ChunkHeader(
            "job_1_0001",
            TestChunk.PARTITION,
            TestChunk.CHUNK_ID,
            Ordering.NORMALIZED,
            CodecId.NONE,
            true)
        .write(mixed);
    assertThatThrownBy(
            () ->
                new ChunkSorter(CONFIG)
                    .sort(mixed, mixed.capacity(), ByteBuffer.allocate(1), new DataCipher(KEY)))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("does not belong into this chunk")
        .hasMessageContaining("encrypted chunk=true");
  }
}

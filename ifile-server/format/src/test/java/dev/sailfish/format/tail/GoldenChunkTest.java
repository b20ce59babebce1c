package dev.sailfish.format.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.UnsupportedFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The bytes of version 2, kept. When one of these fails, files and peers of released versions can
 * no longer be read: add a version instead of changing this one. Those of version 1 are refused.
 */
class GoldenChunkTest {
  @Test
  void shouldWriteTheStableChunkOfVersionTwo() throws IOException {
    assertThat(SampleChunk.stable()).isEqualTo(golden("stable-2.hex"));
  }

  @Test
  void shouldWriteTheAppendedChunkOfVersionTwo() throws IOException {
    assertThat(SampleChunk.appended()).isEqualTo(golden("appended-2.hex"));
  }

  @Test
  void shouldWriteTheSortedChunkOfVersionTwo() throws IOException {
    assertThat(SampleChunk.sorted()).isEqualTo(golden("sorted-2.hex"));
  }

  @Test
  void shouldWriteTheIndexedChunkOfVersionTwo() throws IOException {
    assertThat(SampleChunk.indexed()).isEqualTo(golden("indexed-2.hex"));
  }

  @Test
  void shouldReadTheIndexedChunkOfVersionTwo() throws IOException {
    byte[] chunk = golden("indexed-2.hex");
    ChunkTail tail = ChunkTail.read(ByteBuffer.wrap(chunk), chunk.length);
    assertThat(tail.runs()).isEqualTo(2);
    assertThat(IntStream.range(0, tail.entries()).mapToObj(tail::entryKey))
        .extracting(key -> new String(key, StandardCharsets.US_ASCII))
        .containsExactly("key 0", "key 40");
    List<String> records = new ArrayList<>();
    for (int entry = 0; entry < tail.entries(); entry++) {
      ChunkReader.readBlock(chunk, (int) tail.entryOffset(entry), chunk.length, records);
    }
    assertThat(records)
        .containsExactly("7/1/0 key 0=value 0", "7/1/1 key 40=value 40", "7/1/1 key 41=value 41");
  }

  @Test
  void shouldRefuseBytesOfVersionOne() throws IOException {
    byte[] chunk = golden("sorted-1.hex");
    ByteBuffer bytes = ByteBuffer.wrap(chunk);
    assertThatThrownBy(() -> ChunkHeader.read(bytes, chunk.length))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessage("chunk has version=1, this Sailfish reads version=2");
    assertThatThrownBy(() -> BlockHeader.read(bytes, ChunkHeader.LENGTH, chunk.length))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessage("block has version=1, this Sailfish reads version=2");
    assertThatThrownBy(() -> ChunkTail.read(bytes, chunk.length))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessage("chunk footer has version=1, this Sailfish reads version=2");
  }

  @Test
  void shouldReadTheSortedChunkOfVersionTwo() throws IOException {
    assertThat(ChunkReader.readSorted(golden("sorted-2.hex")))
        .containsExactly(
            "ChunkHeader[job=job_1700000000000_0042, partition=3, chunkId=1234605616436508552,"
                + " ordering=NORMALIZED, codec=NONE, encrypted=false]",
            "7/1/0 key 0=value 0",
            "7/1/1 key 10=value 10",
            "7/1/1 key 11=value 11",
            "7/1/2 key 20=value 20",
            "7/1/2 key 21=value 21",
            "7/1/2 key 22=value 22");
  }

  @Test
  void shouldWriteTheFileOfSeveralChunksOfVersionThree() throws IOException {
    assertThat(SampleChunk.shared()).isEqualTo(golden("shared-3.hex"));
  }

  @Test
  void shouldReadTheFileOfSeveralChunksOfVersionThree() throws IOException {
    byte[] bytes = golden("shared-3.hex");
    assertThat(ChunkReader.readSorted(bytes))
        .isEqualTo(ChunkReader.readSorted(golden("sorted-2.hex")));
    ChunkTail tail = ChunkTail.read(ByteBuffer.wrap(bytes), bytes.length);
    assertThat(tail.isShared()).isTrue();
    assertThat(tail.sharedChunks()).containsExactly(SampleChunk.CHUNK, SampleChunk.CHUNK + 1);
    assertThat(tail.fileChunk(SampleChunk.CHUNK + 1)).isEqualTo(SampleChunk.CHUNK);
    assertThat(tail.shares(SampleChunk.CHUNK)).isTrue();
    assertThat(tail.shares(SampleChunk.CHUNK + 2)).isFalse();
    for (int source = 0; source < 3; source++) {
      assertThat(tail.sourceChunk(source, 0)).isEqualTo(SampleChunk.CHUNK + source / 2);
      assertThat(tail.sourceMap(source)).isEqualTo(7);
      assertThat(tail.sourceSequence(source)).isEqualTo(source);
      assertThat(tail.sourceRecords(source)).isEqualTo(source + 1);
    }
  }

  @Test
  void aFileOfOneChunkShouldNotNeedToSayWhich() throws IOException {
    byte[] bytes = golden("sorted-2.hex");
    ChunkTail tail = ChunkTail.read(ByteBuffer.wrap(bytes), bytes.length);
    assertThat(tail.isShared()).isFalse();
    assertThat(tail.sharedChunks()).isEmpty();
    assertThat(tail.sourceChunk(2, 5)).isEqualTo(5);
    assertThat(tail.fileChunk(5)).isEqualTo(5);
    assertThat(tail.shares(SampleChunk.CHUNK)).isFalse();
  }

  /** As an older reader refuses version 3. */
  @Test
  void shouldRefuseAVersionThatIsTooNew() throws IOException {
    byte[] bytes = golden("shared-3.hex");
    ByteBuffer chunk = ByteBuffer.wrap(bytes);
    int footer = bytes.length - ChunkTail.FOOTER_LENGTH;
    chunk.putShort(footer + ChunkTail.VERSION_OFFSET, (short) 4);
    Checksum.put(chunk, footer, ChunkTail.CHECKSUM_OFFSET);
    assertThatThrownBy(() -> ChunkTail.read(chunk, bytes.length))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("version=4");
  }

  @Test
  void shouldRefuseSeveralChunksOfAComparator() throws IOException {
    byte[] bytes = golden("shared-3.hex");
    ByteBuffer chunk = ByteBuffer.wrap(bytes);
    int footer = bytes.length - ChunkTail.FOOTER_LENGTH;
    chunk.putShort(footer + ChunkTail.ORDERING_OFFSET, (short) Ordering.COMPARATOR.code());
    Checksum.put(chunk, footer, ChunkTail.CHECKSUM_OFFSET);
    assertThatThrownBy(() -> ChunkTail.read(chunk, bytes.length))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("chunks=2 ordering=COMPARATOR");
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = GoldenChunkTest.class.getResourceAsStream("/golden/" + name)) {
      String hex = new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
      return HexFormat.of().parseHex(hex);
    }
  }
}

package dev.sailfish.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * The bytes of version 1, kept. When one of these fails, files and peers of released versions can
 * no longer be read: add a version instead of changing this one.
 */
class GoldenChunkTest {
  @Test
  void shouldWriteTheStableChunkOfVersionOne() throws IOException {
    assertThat(SampleChunk.stable()).isEqualTo(golden("stable-1.hex"));
  }

  @Test
  void shouldWriteTheAppendedChunkOfVersionOne() throws IOException {
    assertThat(SampleChunk.appended()).isEqualTo(golden("appended-1.hex"));
  }

  @Test
  void shouldWriteTheSortedChunkOfVersionOne() throws IOException {
    assertThat(SampleChunk.sorted()).isEqualTo(golden("sorted-1.hex"));
  }

  @Test
  void shouldReadTheSortedChunkOfVersionOne() throws IOException {
    assertThat(ChunkReader.readSorted(golden("sorted-1.hex")))
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

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = GoldenChunkTest.class.getResourceAsStream("/golden/" + name)) {
      String hex = new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
      return HexFormat.of().parseHex(hex);
    }
  }
}

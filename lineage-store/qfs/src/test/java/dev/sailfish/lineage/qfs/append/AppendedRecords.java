package dev.sailfish.lineage.qfs.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.read.QfsInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32;

/**
 * Records that tell who wrote them, and the file that has to hold each of them once.
 *
 * <pre>
 *   0          4          8          12         16
 *   +----------+----------+----------+----------+-----------------+
 *   | writer   | number   | length   | CRC-32   | filler, random  |
 *   +----------+----------+----------+----------+-----------------+
 * </pre>
 */
final class AppendedRecords {
  static final int HEADER = 16;

  private AppendedRecords() {}

  /** A record of so many bytes, at least {@link #HEADER}. */
  static ByteBuffer record(int writer, int number, int length) {
    byte[] filler = new byte[length - HEADER];
    new SplittableRandom(((long) writer << Integer.SIZE) + number).nextBytes(filler);
    ByteBuffer record = ByteBuffer.allocate(length).putInt(writer).putInt(number).putInt(length);
    return record.putInt(checksum(filler)).put(filler).flip();
  }

  private static int checksum(byte[] filler) {
    CRC32 checksum = new CRC32();
    checksum.update(filler);
    return (int) checksum.getValue();
  }

  /** Fails unless the stable chunks have the numbers 0, 1, 2 … of each writer, in this order. */
  static void assertEachOnceInOrder(
      QfsClient client, String path, List<AppendedChunk> chunks, int writers, int records)
      throws IOException {
    int[] next = new int[writers];
    try (QfsInput in = client.open(path)) {
      for (AppendedChunk chunk : chunks) {
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) chunk.bytes());
        in.readFully(chunk.offset(), bytes);
        bytes.position(0).limit((int) chunk.bytes());
        walk(bytes, next, chunk);
      }
    }
    for (int writer = 0; writer < writers; writer++) {
      assertThat(next[writer]).as("records of writer %d", writer).isEqualTo(records);
    }
  }

  private static void walk(ByteBuffer bytes, int[] next, AppendedChunk chunk) {
    while (bytes.hasRemaining()) {
      int at = bytes.position();
      assertThat(bytes.remaining()).as("header at %d of %s", at, chunk).isGreaterThan(HEADER - 1);
      int writer = bytes.getInt();
      int number = bytes.getInt();
      int length = bytes.getInt();
      int checksum = bytes.getInt();
      assertThat(writer).as("writer at %d of %s", at, chunk).isBetween(0, next.length - 1);
      assertThat(number)
          .as("number of writer %d at %d of %s", writer, at, chunk)
          .isEqualTo(next[writer]++);
      assertThat(length).isBetween(HEADER, bytes.remaining() + HEADER);
      byte[] filler = new byte[length - HEADER];
      bytes.get(filler);
      assertThat(checksum(filler)).as("record at %d of %s", at, chunk).isEqualTo(checksum);
    }
  }
}

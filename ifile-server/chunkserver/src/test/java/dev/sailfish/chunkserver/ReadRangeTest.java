package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.TestBlock.TestRecord;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ReadRangeRequest;
import dev.sailfish.protocol.wire.ReadRangeResponse;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class ReadRangeTest {
  private static final TestIfile IFILE =
      new TestIfile("job_6", 0, Ordering.NORMALIZED, CodecId.LZ4, 8 << 20);

  @TempDir private Path directory;

  /** Keys of all lengths, many with one long prefix, so that cut index keys are equal. */
  private static byte[] key(SplittableRandom random) {
    int kind = random.nextInt(3);
    byte[] key = new byte[kind == 0 ? 300 + random.nextInt(3) : random.nextInt(5)];
    Arrays.fill(key, (byte) 'm');
    if (key.length > 0) {
      key[key.length - 1] = (byte) random.nextInt(256);
    }
    return key;
  }

  @Test
  void shouldFindAllRecordsOfARange(SplittableRandom random) throws IOException {
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      records.add(new TestRecord(key(random), TestBytes.text(random, random.nextInt(300))));
    }
    TestBlock block =
        TestBlock.of(new TestBlock.Source(0, 0, 0, 0), CodecId.LZ4, 0, List.copyOf(records));
    records.sort(TestRecord.BY_KEY);
    try (TestServer server = TestServer.start(directory, "sorted.block.size", "16k");
        ChunkserverClient client = server.connect()) {
      assertThat(IFILE.append(client, 1, block)).isNull();
      ChunkTail tail = client.awaitSorted(IFILE.job(), 1, 1000, TestIfile.DEADLINE);
      assertThat(tail.entries()).isGreaterThan(20);
      for (int i = 0; i < 200; i++) {
        byte[] lower = key(random);
        byte[] upper = random.nextInt(5) == 0 ? null : key(random);
        int maxBytes = random.nextInt(100_000);
        assertThat(within(scan(client, lower, upper, maxBytes), lower, upper))
            .isEqualTo(within(records, lower, upper));
      }
      assertThat(scan(client, new byte[0], null, 1 << 30)).isEqualTo(records);
      byte[] last = new byte[] {-1, -1, -1, -1, -1};
      assertThat(scan(client, last, null, 1 << 30)).hasSizeLessThan(records.size() / 10);
    }
  }

  private static List<TestRecord> within(List<TestRecord> records, byte[] lower, byte[] upper) {
    return records.stream()
        .filter(record -> Arrays.compareUnsigned(record.key(), lower) >= 0)
        .filter(record -> upper == null || Arrays.compareUnsigned(record.key(), upper) < 0)
        .toList();
  }

  private static List<TestRecord> scan(
      ChunkserverClient client, byte[] lower, byte[] upper, int maxBytes) throws IOException {
    List<TestRecord> found = new ArrayList<>();
    int entry = 0;
    do {
      PayloadReply reply = new PayloadReply();
      ReadRangeRequest.Builder request =
          ReadRangeRequest.newBuilder()
              .setJob(IFILE.job())
              .setChunk(1)
              .setLowerLength(lower.length)
              .setHasUpper(upper != null)
              .setFromEntry(entry)
              .setMaxBytes(maxBytes);
      ByteBuffer upperBytes = ByteBuffer.wrap(upper == null ? new byte[0] : upper);
      client
          .connection()
          .send(
              IfileService.READ_RANGE, request.build(), reply, ByteBuffer.wrap(lower), upperBytes);
      TestIfile.awaitReply(client, reply);
      assertThat(reply.error()).isNull();
      int next = ReadRangeResponse.parseFrom(reply.header()).getNextEntry();
      assertThat(next == 0 || next > entry).isTrue();
      int blocks = 0;
      byte[] bytes = reply.bytes();
      for (int at = 0; at < bytes.length; blocks++) {
        TestIfile.addRecords(bytes, at, found);
        at += BlockHeader.read(ByteBuffer.wrap(bytes), at, bytes.length).blockLength();
      }
      assertThat(bytes.length <= maxBytes || blocks == 1).isTrue();
      entry = next;
    } while (entry != 0);
    return found;
  }
}

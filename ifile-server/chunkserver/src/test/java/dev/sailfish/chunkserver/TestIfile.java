package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.TestBlock.TestRecord;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.AppendRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The chunks of one partition of one job: appends to them, reads them back, and compares. */
public record TestIfile(
    String job, int partition, Ordering ordering, CodecId codec, long chunkBytes) {
  public static final Duration DEADLINE = Duration.ofSeconds(30);

  public AppendRequest appendRequest(long chunk) {
    return AppendRequest.newBuilder()
        .setJob(job)
        .setChunk(chunk)
        .setPartition(partition)
        .setOrdering(ordering.code())
        .setCodec(codec.code())
        .setChunkBytes(chunkBytes)
        .build();
  }

  /** Appends a block and waits for the answer; null is the good one. */
  public Status append(ChunkserverClient client, long chunk, TestBlock block) throws IOException {
    RemoteException refusal = appendAnswer(client, chunk, block.buffer());
    return refusal == null ? null : refusal.status();
  }

  RemoteException appendAnswer(ChunkserverClient client, long chunk, ByteBuffer block)
      throws IOException {
    PayloadReply reply = new PayloadReply();
    client.connection().send(IfileService.APPEND, appendRequest(chunk).toByteArray(), reply, block);
    awaitReply(client, reply);
    return reply.error();
  }

  public static void awaitReply(ChunkserverClient client, PayloadReply reply) throws IOException {
    while (!reply.ended()) {
      client.connection().poll();
    }
  }

  /** Reads a whole chunk back and compares it with the blocks that were acknowledged. */
  public void assertHolds(ChunkserverClient client, long chunk, List<TestBlock> acknowledged)
      throws IOException {
    ChunkTail tail = client.awaitSorted(job, chunk, 1000, DEADLINE);
    List<TestBlock> blocks = new ArrayList<>(acknowledged);
    blocks.sort(
        Comparator.comparingInt((TestBlock block) -> block.header().map())
            .thenComparingInt(block -> block.header().attempt())
            .thenComparingInt(block -> block.header().sequence()));
    assertSources(tail, blocks);
    byte[] bytes = readAll(client, chunk, tail.offset());
    assertThat(ChunkHeader.read(ByteBuffer.wrap(bytes), bytes.length))
        .isEqualTo(new ChunkHeader(job, partition, chunk, ordering, codec));
    for (int run = 0; run < tail.runs(); run++) {
      List<TestRecord> actual = records(tail, run, bytes);
      assertThat(actual).isEqualTo(expected(tail, run, blocks));
    }
  }

  private static void assertSources(ChunkTail tail, List<TestBlock> blocks) {
    assertThat(tail.sources()).isEqualTo(blocks.size());
    for (int i = 0; i < blocks.size(); i++) {
      BlockHeader header = blocks.get(i).header();
      assertThat(tail.sourceMap(i)).isEqualTo(header.map());
      assertThat(tail.sourceAttempt(i)).isEqualTo(header.attempt());
      assertThat(tail.sourceSequence(i)).isEqualTo(header.sequence());
      assertThat(tail.sourceRecords(i)).isEqualTo(header.records());
    }
  }

  /** In pieces of odd lengths, as a reader with little memory does. */
  private byte[] readAll(ChunkserverClient client, long chunk, long length) throws IOException {
    byte[] all = new byte[(int) length];
    int step = 777_777;
    for (int at = 0; at < all.length; at += step) {
      int count = Math.min(step, all.length - at);
      System.arraycopy(client.read(job, chunk, at, count), 0, all, at, count);
    }
    return all;
  }

  private List<TestRecord> expected(ChunkTail tail, int run, List<TestBlock> blocks) {
    if (ordering == Ordering.COMPARATOR) {
      return blocks.get(run).records();
    }
    assertThat(tail.runs()).as("runs, with memory enough for one").isEqualTo(1);
    List<TestRecord> all = new ArrayList<>();
    blocks.forEach(block -> all.addAll(block.records()));
    all.sort(TestRecord.BY_KEY);
    return all;
  }

  private static List<TestRecord> records(ChunkTail tail, int run, byte[] chunk)
      throws FormatException {
    List<TestRecord> records = new ArrayList<>();
    for (int entry = 0; entry < tail.entries(); entry++) {
      if (tail.entryRun(entry) == run) {
        int count = addRecords(chunk, (int) tail.entryOffset(entry), records);
        assertThat(count).isEqualTo(tail.entryRecords(entry));
      }
    }
    return records;
  }

  /** Adds the records of the block at {@code offset} and returns how many they are. */
  static int addRecords(byte[] bytes, int offset, List<TestRecord> records) throws FormatException {
    BlockHeader header = BlockHeader.read(ByteBuffer.wrap(bytes), offset, bytes.length);
    int start = offset + BlockHeader.LENGTH;
    header.checkStored(bytes, start);
    byte[] raw = new byte[header.rawLength()];
    BlockCompression.of(header.codec())
        .decompress(bytes, start, header.storedLength(), raw, 0, raw.length);
    RecordCursor cursor = new RecordCursor();
    cursor.reset(raw, 0, raw.length, header.tagged());
    int count = 0;
    while (cursor.next()) {
      int key = cursor.keyOffset();
      int value = cursor.valueOffset();
      records.add(
          new TestRecord(
              Arrays.copyOfRange(raw, key, key + cursor.keyLength()),
              Arrays.copyOfRange(raw, value, value + cursor.valueLength())));
      count++;
    }
    assertThat(count).isEqualTo(header.records());
    return count;
  }
}

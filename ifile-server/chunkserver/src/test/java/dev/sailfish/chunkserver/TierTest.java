package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.TestBlock.TestRecord;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens when memory is full, and then the disk. */
@Seeded
class TierTest {
  private static final String JOB = "job_5";

  @TempDir private Path directory;
  private final Map<Long, List<TestBlock>> acknowledged = new HashMap<>();
  private int nextSequence;

  private static TestIfile ifile(long chunkBytes) {
    return new TestIfile(JOB, 0, Ordering.NORMALIZED, CodecId.NONE, chunkBytes);
  }

  /** Appends until the server says something else than CHUNK_FULL, or {@code bytes} are held. */
  private Status fill(
      TestIfile ifile, ChunkserverClient client, SplittableRandom random, long bytes)
      throws IOException {
    long chunk = acknowledged.size() + 1;
    long held = 0;
    while (held < bytes) {
      TestBlock.Source source = new TestBlock.Source(0, 0, 0, nextSequence++);
      TestBlock block = TestBlock.random(random, source, CodecId.NONE, 100_000);
      Status status = ifile.append(client, chunk, block);
      if (status == Status.CHUNK_FULL) {
        chunk++;
        status = ifile.append(client, chunk, block);
      }
      if (status != null) {
        return status;
      }
      acknowledged.computeIfAbsent(chunk, id -> new ArrayList<>()).add(block);
      held += block.bytes().length;
    }
    return null;
  }

  @Test
  void shouldGoToDiskWhenMemoryIsFull(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(1 << 20);
    String data = directory.resolve("data").toString();
    try (TestServer server =
            TestServer.start(directory, "memory.size", "4m", "data.dirs", data + ":capacity=200m");
        ChunkserverClient client = server.connect()) {
      assertThat(fill(ifile, client, random, 20 << 20)).isNull();
      assertThat(server.count(ChunkserverMetric.DISK_USED_BYTES)).isPositive();
      for (Map.Entry<Long, List<TestBlock>> entry : acknowledged.entrySet()) {
        ifile.assertHolds(client, entry.getKey(), entry.getValue());
      }
      assertThat(server.count(ChunkserverMetric.MEMORY_USED_BYTES)).isLessThanOrEqualTo(4 << 20);
      server.deleteJobAndAwaitNothingUsed(JOB);
      assertThat(TestServer.segmentFiles(Path.of(data))).isZero();
    }
  }

  @Test
  void shouldFillChunksAlthoughThereIsMoreThanMemoryTakes(SplittableRandom random)
      throws IOException {
    int ifiles = 6;
    int blocks = 1200;
    String data = directory.resolve("data").toString();
    long[] chunks = new long[ifiles];
    long next = 0;
    try (TestServer server = TestServer.start(directory, "memory.size", "4m", "data.dirs", data);
        ChunkserverClient client = server.connect()) {
      for (int sequence = 0; sequence < blocks; sequence++) {
        for (int partition = 0; partition < ifiles; partition++) {
          TestIfile ifile =
              new TestIfile(JOB, partition, Ordering.NORMALIZED, CodecId.NONE, 1 << 20);
          TestBlock.Source source = new TestBlock.Source(partition, 0, 0, sequence);
          TestBlock block = TestBlock.random(random, source, CodecId.NONE, 8000);
          if (chunks[partition] == 0
              || ifile.append(client, chunks[partition], block) == Status.CHUNK_FULL) {
            chunks[partition] = ++next;
            assertThat(ifile.append(client, next, block)).isNull();
          }
        }
      }
      long full = server.count(ChunkserverMetric.FULL_CHUNKS);
      // The first one of an I-file may end with its tier, and the last one is what is left.
      assertThat(full).isGreaterThan(3 * ifiles).isGreaterThanOrEqualTo(next - 2 * ifiles);
      assertThat(server.count(ChunkserverMetric.FULL_CHUNK_RAW_BYTES) / full)
          .isGreaterThan((1 << 20) * 98 / 100);
      server.deleteJobAndAwaitNothingUsed(JOB);
    }
  }

  @Test
  void shouldSortInPlaceWhenThereIsNoRoomForACopy(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(64 << 20);
    String data = directory.resolve("data").toString();
    try (TestServer server =
            TestServer.start(directory, "memory.size", "6m", "data.dirs", data + ":capacity=6m");
        ChunkserverClient client = server.connect()) {
      assertThat(fill(ifile, client, random, Long.MAX_VALUE)).isEqualTo(Status.NO_SPACE);
      for (Map.Entry<Long, List<TestBlock>> entry : acknowledged.entrySet()) {
        ifile.assertHolds(client, entry.getKey(), entry.getValue());
      }
      assertThat(server.count(ChunkserverMetric.IN_PLACE_SORTS)).isPositive();
      assertThat(server.count(ChunkserverMetric.DELAYED_SORTS)).isZero();
      server.deleteJobAndAwaitNothingUsed(JOB);
    }
  }

  /** Of several equal values, a codec that sees them together makes one. */
  private List<TestBlock> blocksThatGrow(SplittableRandom random) {
    byte[] value = TestBytes.random(random, 60_000);
    List<TestBlock> blocks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      List<TestRecord> records = new ArrayList<>();
      for (int record = 0; record < 10; record++) {
        records.add(new TestRecord(TestBytes.random(random, 10), value));
      }
      TestBlock.Source source = new TestBlock.Source(0, 0, 0, nextSequence++);
      blocks.add(TestBlock.of(source, CodecId.LZ4, 0, records));
    }
    return blocks;
  }

  @Test
  void shouldPutASortOffUntilThereIsRoomForWhatGrows(SplittableRandom random) throws IOException {
    TestIfile growing = new TestIfile(JOB, 0, Ordering.NORMALIZED, CodecId.LZ4, 64 << 20);
    try (TestServer server = TestServer.start(directory, "memory.size", "12m");
        ChunkserverClient client = server.connect()) {
      acknowledged.put(1L, blocksThatGrow(random));
      for (TestBlock block : acknowledged.get(1L)) {
        assertThat(growing.append(client, 1, block)).isNull();
      }
      assertThat(fill(ifile(64 << 20), client, random, Long.MAX_VALUE)).isEqualTo(Status.NO_SPACE);
      assertThat(acknowledged).hasSize(2);
      RemoteException notYet = awaitSorted(client, 1, 1000);
      assertThat(notYet.status()).isEqualTo(Status.DEADLINE);
      assertThat(notYet).hasMessageContaining("waits for room");
      assertThat(server.count(ChunkserverMetric.DELAYED_SORTS)).isPositive();
      server.metaserver().command(HeartbeatResponse.newBuilder().addDeleteChunks(2).build());
      growing.assertHolds(client, 1, acknowledged.get(1L));
      server.deleteJobAndAwaitNothingUsed(JOB);
    }
  }

  @Test
  void shouldSayNoSpaceWhenBothTiersAreFullAndGoOnWhenThereIsSome(SplittableRandom random)
      throws IOException {
    TestIfile ifile = ifile(64 << 20);
    String data = directory.resolve("data").toString();
    try (TestServer server =
            TestServer.start(directory, "memory.size", "6m", "data.dirs", data + ":capacity=6m");
        ChunkserverClient client = server.connect()) {
      assertThat(fill(ifile, client, random, 4 << 20)).isNull();
      assertThat(fill(ifile, client, random, Long.MAX_VALUE)).isEqualTo(Status.NO_SPACE);
      assertThat(server.count(ChunkserverMetric.DISK_USED_BYTES)).isPositive();
      HeartbeatResponse.Builder others = HeartbeatResponse.newBuilder();
      for (long chunk = 2; chunk <= acknowledged.size() + 1; chunk++) {
        others.addDeleteChunks(chunk);
      }
      server.metaserver().command(others.build());
      ifile.assertHolds(client, 1, acknowledged.get(1L));
      TestBlock another =
          TestBlock.random(random, new TestBlock.Source(0, 9, 0, 0), CodecId.NONE, 100_000);
      assertThat(ifile.append(client, 99, another)).isNull();
      ifile.assertHolds(client, 99, List.of(another));
      server.deleteJobAndAwaitNothingUsed(JOB);
    }
  }

  private static RemoteException awaitSorted(ChunkserverClient client, long chunk, int deadlineMs)
      throws IOException {
    PayloadReply reply = new PayloadReply();
    client
        .connection()
        .send(
            IfileService.AWAIT_SORTED,
            AwaitSortedRequest.newBuilder()
                .setJob(JOB)
                .setChunk(chunk)
                .setDeadlineMs(deadlineMs)
                .build(),
            reply);
    TestIfile.awaitReply(client, reply);
    return reply.error();
  }

  @Test
  void shouldKeepWhatIsOnDiskAndNothingInMemoryWhenToldSo(SplittableRandom random)
      throws IOException {
    TestIfile ifile = ifile(1 << 20);
    String[] settings = {"memory.size", "2m", "data.dirs", directory.resolve("data").toString()};
    try (TestServer server = TestServer.start(directory, settings);
        ChunkserverClient client = server.connect()) {
      assertThat(fill(ifile, client, random, 8 << 20)).isNull();
      assertThat(server.count(ChunkserverMetric.MEMORY_USED_BYTES)).isPositive();
    }
    try (TestServer server = TestServer.start(directory, settings);
        ChunkserverClient client = server.connect()) {
      server.awaitHeartbeats();
      List<ChunkReport> kept = server.metaserver().registrations().get(0).getChunksList();
      assertThat(kept).isNotEmpty().hasSizeLessThan(acknowledged.size());
      for (ChunkReport chunk : kept) {
        ifile.assertHolds(client, chunk.getChunk(), acknowledged.get(chunk.getChunk()));
      }
      server.deleteJobAndAwaitNothingUsed(JOB);
    }
  }
}

package dev.sailfish.chunkserver.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestServer;
import dev.sailfish.chunkserver.TestTable;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.Reservation;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ListChunksRequest;
import dev.sailfish.protocol.wire.ListChunksResponse;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Appends that are refused leave nothing behind; and lists of chunks come in pages. */
@Seeded
class RefusedAppendsTest {
  private static final String JOB = "job_3";
  private static final TestIfile IFILE =
      new TestIfile(JOB, 0, Ordering.NORMALIZED, CodecId.NONE, 1 << 20);

  @TempDir private Path directory;

  private static TestBlock block(SplittableRandom random, int partition) {
    return TestBlock.random(random, new TestBlock.Source(partition, 0, 0, 0), CodecId.NONE, 1000);
  }

  @Test
  void chunksThatNeverGotABlockAreForgotten(SplittableRandom random) throws IOException {
    try (TestTable chunks = new TestTable(directory, 3)) {
      ChunkTable table = chunks.chunks();
      Chunk held = table.forAppend(IFILE.appendRequest(1));
      TestBlock block = block(random, 0);
      Reservation reservation = held.reserve(block.header());
      table.forAppend(IFILE.appendRequest(2));
      Chunk third = table.forAppend(IFILE.appendRequest(3));
      assertRefused(Status.NO_SPACE, () -> table.forAppend(IFILE.appendRequest(4)));
      table.forgetPast();
      assertRefused(Status.NO_SPACE, () -> table.forAppend(IFILE.appendRequest(4)));
      table.forgetPast();
      assertThat(table.forAppend(IFILE.appendRequest(1))).isSameAs(held);
      assertThat(table.forAppend(IFILE.appendRequest(3))).isNotSameAs(third);
      assertRefused(Status.BUSY, () -> third.reserve(block.header()));
      table.forgetPast();
      held.abandon(reservation);
      table.deleteJob(JOB);
      assertThat(table.countByState()).isEmpty();
    }
  }

  /** The metaserver deletes what it has elsewhere, or has given up: acks of it would be lost. */
  @Test
  void deletedChunksShouldNotBeginAnew(SplittableRandom random) throws IOException {
    try (TestTable chunks = new TestTable(directory, 3)) {
      ChunkTable table = chunks.chunks();
      Chunk chunk = table.forAppend(IFILE.appendRequest(1));
      TestBlock block = block(random, 0);
      chunk.abandon(chunk.reserve(block.header()));
      table.deleteChunk(1);
      assertRefused(Status.CHUNK_FULL, () -> table.forAppend(IFILE.appendRequest(1)));
      assertThat(table.forAppend(IFILE.appendRequest(2)).spec().id()).isEqualTo(2);
    }
  }

  /** Else a job could use up the chunks that a server may have, which is told to nobody. */
  @Test
  void noChunkIsMadeForABlockThatIsNotTaken(SplittableRandom random) throws IOException {
    TestBlock block = block(random, 0);
    TestBlock elsewhere = block(random, 1);
    try (TestServer server = TestServer.start(directory, "chunks.max", "2", "memory.size", "1m");
        ChunkserverClient client = server.connect()) {
      TestBlock large =
          TestBlock.random(random, new TestBlock.Source(0, 0, 0, 0), CodecId.NONE, 2 << 20);
      for (int chunk = 1; chunk <= 3; chunk++) {
        PayloadReply reply = new PayloadReply();
        byte[] append = IFILE.appendRequest(chunk).toByteArray();
        client.connection().send(IfileService.APPEND, append, reply, ByteBuffer.allocate(1));
        TestIfile.awaitReply(client, reply);
        assertThat(reply.error().status()).isEqualTo(Status.BAD_REQUEST);
        assertThat(IFILE.append(client, chunk, elsewhere)).isEqualTo(Status.BAD_REQUEST);
        assertThat(IFILE.append(client, chunk, large)).isEqualTo(Status.NO_SPACE);
        assertThat(server.count(ChunkserverMetric.CHUNKS_OPEN)).isZero();
      }
      assertThat(IFILE.append(client, 4, block)).isNull();
      assertThat(IFILE.append(client, 5, block)).isNull();
      RemoteException full =
          catchThrowableOfType(
              RemoteException.class,
              () ->
                  client
                      .connection()
                      .exchange(
                          IfileService.APPEND,
                          IFILE.appendRequest(6),
                          new PayloadReply(),
                          block.buffer()));
      assertThat(full).hasMessageContaining("is one chunk too many: limit=2");
    }
  }

  /** Ids are counted up, so that a job can guess those that others will be bound to. */
  @Test
  void aJobShouldNotTakeTheChunksOfOthersAway(SplittableRandom random) throws IOException {
    try (TestTable chunks = new TestTable(directory, 2)) {
      ChunkTable table = chunks.chunks();
      TestIfile guessing = new TestIfile("job_4", 0, Ordering.NORMALIZED, CodecId.NONE, 1 << 20);
      TestBlock block = block(random, 0);
      Chunk guessed = table.forAppend(guessing.appendRequest(1));
      Chunk bound = table.forAppend(IFILE.appendRequest(1));
      assertThat(bound.spec().job()).isEqualTo(JOB);
      assertRefused(Status.BUSY, () -> guessed.reserve(block.header()));
      assertThat(table.forAppend(IFILE.appendRequest(1))).isSameAs(bound);
      Reservation reservation = bound.reserve(block.header());
      assertRefused(Status.CHUNK_FULL, () -> table.forAppend(guessing.appendRequest(1)));
      assertRefused(Status.FORBIDDEN, () -> table.forReader("job_4", 1));
      assertThat(table.forReader(JOB, 1)).isSameAs(bound);
      bound.abandon(reservation);
      bound.delete();
    }
  }

  /** Programs outside YARN may give each run the same name. */
  @Test
  void theNameOfAnEndedJobIsGoodAgainAfterAWhile() throws IOException {
    try (TestTable chunks = new TestTable(directory, 3)) {
      ChunkTable table = chunks.chunks();
      table.deleteJob("job_2");
      table.forgetPast();
      table.deleteJob(JOB);
      assertRefused(Status.JOB_UNKNOWN, () -> table.forAppend(IFILE.appendRequest(1)));
      table.forgetPast();
      assertRefused(Status.JOB_UNKNOWN, () -> table.forAppend(IFILE.appendRequest(1)));
      table.forgetPast();
      assertThat(table.forAppend(IFILE.appendRequest(2)).spec().job()).isEqualTo(JOB);
    }
  }

  private interface Call {
    void run() throws RequestRefusedException;
  }

  private static void assertRefused(Status status, Call call) {
    try {
      call.run();
    } catch (RequestRefusedException e) {
      assertThat(e.status()).isEqualTo(status);
      return;
    }
    throw new AssertionError("was not refused with " + status);
  }

  @Test
  void anAppendWhoseHeaderIsNoneIsABadRequest() throws IOException {
    try (TestServer server = TestServer.start(directory);
        ChunkserverClient client = server.connect()) {
      byte[] stringThatIsCutOff = {0x12, 50, 'j'};
      PayloadReply reply = new PayloadReply();
      client
          .connection()
          .send(IfileService.APPEND, stringThatIsCutOff, reply, ByteBuffer.allocate(100));
      TestIfile.awaitReply(client, reply);
      RemoteException refusal = reply.error();
      assertThat(refusal.status()).isEqualTo(Status.BAD_REQUEST);
      assertThat(refusal).hasMessageContaining("operation=" + IfileService.APPEND + " bytes=3");
      assertThat(server.server().metrics())
          .containsEntry(ServerMetric.HANDLER_ERRORS.fullName(), 0L);
    }
  }

  /** The header of a block, and one stored byte. */
  private static TestBlock claiming(int records, int flags) {
    byte[] stored = {0};
    BlockHeader header =
        new BlockHeader(
            CodecId.LZ4, flags, 0, 0, 0, 0, records, 2 * records, 1, Checksum.of(stored, 0, 1));
    ByteBuffer bytes = ByteBuffer.allocate(header.blockLength());
    header.write(bytes, 0);
    return new TestBlock(header, List.of(), bytes.array());
  }

  /** A sorter makes room for the records on the heap before it finds that there are none. */
  @Test
  void blocksOfNoRecordsAndOfMoreThanCanBeSortedAreRefused() throws IOException {
    TestIfile comparator = new TestIfile(JOB, 0, Ordering.COMPARATOR, CodecId.LZ4, 1 << 20);
    int most = ChunkSorter.MAX_BLOCK_RECORDS;
    try (TestServer server = TestServer.start(directory);
        ChunkserverClient client = server.connect()) {
      assertThat(IFILE.append(client, 1, claiming(0, 0))).isEqualTo(Status.BAD_REQUEST);
      assertThat(IFILE.append(client, 1, claiming(most + 1, 0))).isEqualTo(Status.BAD_REQUEST);
      assertThat(IFILE.append(client, 1, claiming(most, 0))).isNull();
      TestBlock notSortedHere = claiming(most + 1, BlockHeader.FLAG_SORTED);
      assertThat(comparator.append(client, 2, notSortedHere)).isNull();
    }
  }

  @Test
  void listsComeInPages(SplittableRandom random) throws IOException {
    try (TestServer server = TestServer.start(directory);
        ChunkserverClient client = server.connect()) {
      for (int chunk = 1; chunk <= 10; chunk++) {
        TestBlock block =
            TestBlock.random(random, new TestBlock.Source(0, 0, 0, chunk), CodecId.NONE, 1000);
        assertThat(IFILE.append(client, chunk, block)).isNull();
      }
      Set<Long> listed = new HashSet<>();
      ListChunksRequest.Builder request = ListChunksRequest.newBuilder().setLimit(3);
      ListChunksResponse page;
      do {
        page = client.listChunks(request.build());
        assertThat(page.getChunksCount()).isBetween(1, 3);
        page.getChunksList().forEach(chunk -> listed.add(chunk.getChunk()));
        request.setAfterChunk(page.getChunks(page.getChunksCount() - 1).getChunk());
      } while (page.getMore());
      assertThat(listed).hasSize(10);
      assertThat(client.listChunks(JOB).getChunksCount()).isEqualTo(10);
    }
  }
}

package dev.sailfish.chunkserver.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestServer;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.SummarizeIndexRequest;
import dev.sailfish.protocol.wire.SummarizeIndexResponse;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Seeded
class SummarizeIndexTest {
  private static final String JOB = "job_8";
  private static final int CHUNKS = 5;

  @TempDir private Path directory;

  private static List<ChunkTail> fill(
      ChunkserverClient client, Ordering ordering, SplittableRandom random) throws IOException {
    TestIfile ifile = new TestIfile(JOB, 0, ordering, CodecId.LZ4, 8 << 20);
    List<ChunkTail> tails = new ArrayList<>();
    for (int chunk = 1; chunk <= CHUNKS; chunk++) {
      for (int sequence = 0; sequence < 4; sequence++) {
        TestBlock.Source source = new TestBlock.Source(0, chunk, 0, sequence);
        TestBlock block =
            ordering == Ordering.COMPARATOR
                ? TestBlock.sorted(random, source, CodecId.LZ4, 60_000)
                : TestBlock.random(random, source, CodecId.LZ4, 60_000);
        assertThat(ifile.append(client, chunk, block)).isNull();
      }
      tails.add(client.awaitSorted(JOB, chunk, 1000, TestIfile.DEADLINE));
    }
    return tails;
  }

  private static void check(List<IndexSummary> summaries, List<ChunkTail> tails) {
    assertThat(summaries).hasSize(tails.size());
    for (int i = 0; i < tails.size(); i++) {
      IndexSummary summary = summaries.get(i);
      assertThat(summary.chunk()).isEqualTo(i + 1);
      assertThat(summary.records()).isEqualTo(tails.get(i).records());
      assertThat(summary.rawBytes()).isEqualTo(tails.get(i).rawBytes());
      assertThat(summary.isComplete()).isTrue();
      assertThat(summary.entries().stream().mapToLong(IndexSummary.Entry::rawBytes).sum())
          .isEqualTo(tails.get(i).rawBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldSumUpManyChunksAtAnyGrain(Ordering ordering, SplittableRandom random)
      throws IOException {
    try (TestServer server = TestServer.start(directory, "sorted.block.size", "16k");
        ChunkserverClient client = server.connect()) {
      List<ChunkTail> tails = fill(client, ordering, random);
      List<Long> chunks = List.of(1L, 2L, 3L, 4L, 5L);
      for (long grain : new long[] {0, 1, 50_000, 1L << 40}) {
        List<IndexSummary> summaries = client.summarizeIndex(JOB, chunks, grain, false);
        check(summaries, tails);
        int indexed = tails.get(0).entries();
        int entries = summaries.get(0).entries().size();
        if (grain <= 1) {
          assertThat(entries).isEqualTo(indexed);
        } else if (grain > 1L << 30) {
          assertThat(entries).isEqualTo(tails.get(0).runs());
        } else {
          assertThat(entries).isBetween(2, indexed);
        }
      }
      byte[] key = client.summarizeIndex(JOB, chunks, 0, false).get(2).entries().get(0).key();
      assertThat(key).isEqualTo(tails.get(2).entryKey(0));
    }
  }

  @Test
  void shouldGoOnWhereAnAnswerEnds(SplittableRandom random) throws IOException {
    try (TestServer server = TestServer.start(directory, "sorted.block.size", "16k");
        ChunkserverClient client = server.connect()) {
      List<ChunkTail> tails = fill(client, Ordering.NORMALIZED, random);
      List<IndexSummary> summaries = new ArrayList<>();
      SummarizeIndexRequest.Builder request =
          SummarizeIndexRequest.newBuilder()
              .setJob(JOB)
              .addAllChunks(List.of(1L, 2L, 3L, 4L, 5L))
              .setMaxBytes(1);
      int answers = 0;
      boolean more = true;
      while (more) {
        PayloadReply reply = ask(client, request.build());
        assertThat(reply.bytes().length).isBetween(1, IndexSummary.MIN_ROOM);
        IndexSummary.read(ByteBuffer.wrap(reply.bytes()), summaries);
        SummarizeIndexResponse answer = SummarizeIndexResponse.parseFrom(reply.header());
        request.setFromChunk(answer.getNextChunk()).setFromEntry(answer.getNextEntry());
        more = answer.getMore();
        answers++;
      }
      check(summaries, tails);
      assertThat(answers).isGreaterThan(CHUNKS);
      request.setFromChunk(0).setFromEntry(tails.get(0).entries());
      assertThat(ask(client, request.build()).error().status()).isEqualTo(Status.BAD_REQUEST);
      request.setFromChunk(-1).setFromEntry(0);
      assertThat(ask(client, request.build()).error().status()).isEqualTo(Status.BAD_REQUEST);
    }
  }

  @Test
  void shouldMakeChunksStableForTheLastPlan(SplittableRandom random) throws IOException {
    try (TestServer server = TestServer.start(directory);
        ChunkserverClient client = server.connect()) {
      TestIfile ifile = new TestIfile(JOB, 0, Ordering.NORMALIZED, CodecId.LZ4, 8 << 20);
      TestBlock open = TestBlock.random(random, new TestBlock.Source(0, 0, 0, 0), CodecId.LZ4, 500);
      assertThat(ifile.append(client, 77, open)).isNull();
      assertThat(client.summarizeIndex(JOB, List.of(77L), 0, false)).isEmpty();
      TestBlock more = TestBlock.random(random, new TestBlock.Source(0, 1, 0, 0), CodecId.LZ4, 500);
      assertThat(ifile.append(client, 77, more)).isNull();
      await()
          .atMost(TestIfile.DEADLINE)
          .untilAsserted(
              () ->
                  assertThat(client.summarizeIndex(JOB, List.of(77L), 0, true))
                      .singleElement()
                      .satisfies(summary -> assertThat(summary.isComplete()).isTrue()));
      TestBlock late = TestBlock.random(random, new TestBlock.Source(0, 2, 0, 0), CodecId.LZ4, 500);
      assertThat(ifile.append(client, 77, late)).isEqualTo(Status.CHUNK_FULL);
    }
  }

  private static PayloadReply ask(ChunkserverClient client, SummarizeIndexRequest request)
      throws IOException {
    PayloadReply reply = new PayloadReply();
    client.connection().send(IfileService.SUMMARIZE_INDEX, request, reply);
    TestIfile.awaitReply(client, reply);
    return reply;
  }

  @Test
  void shouldLeaveOutWhatIsNotSorted(SplittableRandom random) throws IOException {
    try (TestServer server = TestServer.start(directory);
        ChunkserverClient client = server.connect()) {
      List<ChunkTail> tails = fill(client, Ordering.NORMALIZED, random);
      TestBlock open = TestBlock.random(random, new TestBlock.Source(0, 0, 0, 0), CodecId.LZ4, 500);
      TestIfile ifile = new TestIfile(JOB, 0, Ordering.NORMALIZED, CodecId.LZ4, 8 << 20);
      assertThat(ifile.append(client, 77, open)).isNull();
      List<Long> asked = List.of(77L, 1L, 1234L, 2L, 3L, 4L, 5L, 99L);
      check(client.summarizeIndex(JOB, asked, 1000, false), tails);
      assertThat(client.summarizeIndex(JOB, List.of(), 1000, false)).isEmpty();
      assertThat(client.summarizeIndex(JOB, List.of(77L), 1000, false)).isEmpty();
      assertThatThrownBy(() -> client.summarizeIndex("job_9", List.of(1L), 1000, false))
          .isInstanceOfSatisfying(
              RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.FORBIDDEN));
    }
  }
}

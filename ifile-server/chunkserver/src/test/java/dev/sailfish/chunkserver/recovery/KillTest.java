package dev.sailfish.chunkserver.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.ServerProcess;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A chunkserver that is killed in the middle of its work and started again. */
@Seeded
@Timeout(180)
class KillTest {
  private static final String JOB = "job_12";
  private static final int PARTITION = 1;
  private static final int APPENDERS = 3;
  private static final int CHUNKS = 4;

  @TempDir private Path directory;

  private Map<String, String> settings(boolean memory) {
    return memory
        ? Map.of()
        : Map.of("memory.dir", "none", "data.dirs", directory.resolve("data").toString());
  }

  private Path store(boolean memory) {
    return directory.resolve(memory ? "memory/segments" : "data/segments");
  }

  private static TestIfile ifile(Ordering ordering) {
    return new TestIfile(JOB, PARTITION, ordering, CodecId.NONE, 64 << 20);
  }

  private static TestBlock block(
      SplittableRandom random, Ordering ordering, int map, int sequence, int bytes) {
    TestBlock.Source source = new TestBlock.Source(PARTITION, map, 0, sequence);
    return ordering == Ordering.COMPARATOR
        ? TestBlock.sorted(random, source, CodecId.NONE, bytes)
        : TestBlock.random(random, source, CodecId.NONE, bytes);
  }

  /** A map that appends until the server is gone. */
  private final class Appender {
    private final int map;
    private final SplittableRandom random;
    private final Ordering ordering;
    private final List<List<TestBlock>> acknowledged = new ArrayList<>();
    private TestBlock unanswered;
    private int unansweredChunk;

    Appender(int map, SplittableRandom random, Ordering ordering) {
      this.map = map;
      this.random = random;
      this.ordering = ordering;
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        acknowledged.add(new ArrayList<>());
      }
    }

    Void run(ServerProcess server, AtomicInteger acknowledgements) throws IOException {
      try (ChunkserverClient client = server.connect()) {
        for (int sequence = 0; ; sequence++) {
          int bytes = 1 + random.nextInt(random.nextBoolean() ? 500 : 80_000);
          unanswered = block(random, ordering, map, sequence, bytes);
          unansweredChunk = random.nextInt(CHUNKS);
          Status status = append(client);
          assertThat(status).isNull();
          acknowledged.get(unansweredChunk).add(unanswered);
          acknowledgements.incrementAndGet();
        }
      }
    }

    private Status append(ChunkserverClient client) throws IOException {
      return ifile(ordering).append(client, 1 + unansweredChunk, unanswered);
    }
  }

  @ParameterizedTest
  @CsvSource({"true,NORMALIZED", "true,COMPARATOR", "false,NORMALIZED"})
  void shouldHaveEveryAcknowledgedBlockAfterAKillWhileAppending(
      boolean memory, Ordering ordering, Seed seed) throws Exception {
    SplittableRandom random = seed.splittable();
    try (ServerProcess server = new ServerProcess(directory, settings(memory))) {
      List<Appender> appenders =
          appendUntilKilled(server, ordering, seed, 20 + random.nextInt(150));
      server.start();
      try (ChunkserverClient client = server.connect()) {
        assertThat(client.listChunks(JOB).getChunksList())
            .allMatch(chunk -> chunk.getState() != ChunkState.OPEN.code());
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
          assertHoldsAcknowledged(client, ordering, chunk, appenders);
        }
        for (Appender appender : appenders) {
          Status status = appender.append(client);
          assertThat(status).as("sent again").isIn(null, Status.CHUNK_FULL);
        }
      }
      assertNothingLeftWhenTheJobEnds(server, memory);
    }
  }

  private List<Appender> appendUntilKilled(
      ServerProcess server, Ordering ordering, Seed seed, int acknowledgements) throws Exception {
    List<Appender> appenders = new ArrayList<>();
    List<Future<Void>> running = new ArrayList<>();
    AtomicInteger acknowledged = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(APPENDERS);
    try {
      for (int map = 0; map < APPENDERS; map++) {
        Appender appender = new Appender(map, seed.derive("map" + map).splittable(), ordering);
        appenders.add(appender);
        running.add(threads.submit(() -> appender.run(server, acknowledged)));
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(1))
          .until(() -> acknowledged.get() >= acknowledgements);
      server.kill();
      for (Future<Void> appender : running) {
        assertThat(appender)
            .failsWithin(Duration.ofSeconds(60))
            .withThrowableOfType(java.util.concurrent.ExecutionException.class)
            .withCauseInstanceOf(IOException.class);
      }
    } finally {
      threads.shutdownNow();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
    return appenders;
  }

  private static void assertHoldsAcknowledged(
      ChunkserverClient client, Ordering ordering, int chunk, List<Appender> appenders)
      throws IOException {
    List<TestBlock> required = new ArrayList<>();
    List<TestBlock> allowed = new ArrayList<>();
    for (Appender appender : appenders) {
      required.addAll(appender.acknowledged.get(chunk));
      if (appender.unansweredChunk == chunk) {
        allowed.add(appender.unanswered);
      }
    }
    if (required.isEmpty() && client.listChunks(JOB).getChunksCount() < CHUNKS) {
      return;
    }
    ChunkTail tail = client.awaitSorted(JOB, 1 + chunk, 1000, TestIfile.DEADLINE);
    Set<List<Integer>> found = new HashSet<>();
    for (int source = 0; source < tail.sources(); source++) {
      found.add(List.of(tail.sourceMap(source), tail.sourceSequence(source)));
    }
    for (TestBlock block : allowed) {
      if (found.contains(List.of(block.header().map(), block.header().sequence()))) {
        required.add(block);
      }
    }
    ifile(ordering).assertHolds(client, 1 + chunk, required);
  }

  private void assertNothingLeftWhenTheJobEnds(ServerProcess server, boolean memory) {
    server.metaserver().deleteJob(JOB);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(segmentFiles(memory)).isZero());
  }

  private long segmentFiles(boolean memory) throws IOException {
    try (Stream<Path> files = Files.list(store(memory))) {
      return files.filter(file -> !file.getFileName().toString().startsWith("+")).count();
    }
  }

  @ParameterizedTest
  @CsvSource({"true,NORMALIZED", "true,COMPARATOR", "false,NORMALIZED"})
  void shouldSortAgainWhatWasBeingSorted(boolean memory, Ordering ordering, SplittableRandom random)
      throws Exception {
    List<List<TestBlock>> chunks = new ArrayList<>();
    try (ServerProcess server = new ServerProcess(directory, settings(memory))) {
      int sorted = random.nextInt(CHUNKS);
      try (ChunkserverClient client = server.connect()) {
        int sequence = 0;
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
          List<TestBlock> blocks = new ArrayList<>();
          for (int i = 0; i < 12; i++) {
            blocks.add(block(random, ordering, 7, sequence++, 150_000));
            assertThat(ifile(ordering).append(client, 1 + chunk, blocks.get(i))).isNull();
          }
          chunks.add(blocks);
        }
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
          client
              .connection()
              .send(
                  IfileService.AWAIT_SORTED,
                  AwaitSortedRequest.newBuilder()
                      .setJob(JOB)
                      .setChunk(1 + chunk)
                      .setDeadlineMs(30_000)
                      .build(),
                  new PayloadReply());
        }
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(1))
            .until(() -> inState(server, ChunkState.SORTED) >= sorted);
        server.kill();
      }
      server.start();
      try (ChunkserverClient client = server.connect()) {
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
          ifile(ordering).assertHolds(client, 1 + chunk, chunks.get(chunk));
        }
      }
      assertThat(segmentFiles(memory)).isEqualTo(CHUNKS);
      assertNothingLeftWhenTheJobEnds(server, memory);
    }
  }

  private static long inState(ServerProcess server, ChunkState state) throws IOException {
    try (ChunkserverClient client = server.connect()) {
      return client.listChunks(JOB).getChunksList().stream()
          .filter(chunk -> chunk.getState() == state.code())
          .count();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeTheSameBytesToAReaderThatGoesOn(boolean memory, SplittableRandom random)
      throws Exception {
    try (ServerProcess server = new ServerProcess(directory, settings(memory))) {
      byte[] before;
      byte[] after;
      int half;
      try (ChunkserverClient client = server.connect()) {
        for (int sequence = 0; sequence < 20; sequence++) {
          TestBlock block = block(random, Ordering.NORMALIZED, 0, sequence, 50_000);
          assertThat(ifile(Ordering.NORMALIZED).append(client, 1, block)).isNull();
        }
        ChunkTail tail = client.awaitSorted(JOB, 1, 1000, TestIfile.DEADLINE);
        half = random.nextInt((int) tail.offset());
        before = client.read(JOB, 1, 0, (int) tail.offset());
      }
      server.kill();
      server.start();
      try (ChunkserverClient client = server.connect()) {
        after = client.read(JOB, 1, half, before.length - half);
      }
      assertThat(after).isEqualTo(Arrays.copyOfRange(before, half, before.length));
      assertNothingLeftWhenTheJobEnds(server, memory);
    }
  }
}

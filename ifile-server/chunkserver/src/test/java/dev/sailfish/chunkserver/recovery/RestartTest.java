package dev.sailfish.chunkserver.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestServer;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A chunkserver that is stopped and started again has all its chunks. */
@Seeded
class RestartTest {
  private static final String JOB = "job_11";
  private static final int PARTITION = 2;

  @TempDir private Path directory;
  private int nextSequence;

  /** What makes a server that keeps its chunks in memory, or has none. */
  private String[] settings(boolean memory) {
    return memory
        ? new String[] {"keep.chunks", "true"}
        : new String[] {
          "keep.chunks", "true", "memory.dir", "none", "data.dirs", data().toString()
        };
  }

  private Path data() {
    return directory.resolve("data");
  }

  private TestBlock block(SplittableRandom random, Ordering ordering, int bytes) {
    TestBlock.Source source = new TestBlock.Source(PARTITION, 3, 1, nextSequence++);
    return ordering == Ordering.COMPARATOR
        ? TestBlock.sorted(random, source, CodecId.LZ4, bytes)
        : TestBlock.random(random, source, CodecId.LZ4, bytes);
  }

  @ParameterizedTest
  @CsvSource({"true,NORMALIZED", "true,COMPARATOR", "false,NORMALIZED", "false,COMPARATOR"})
  void shouldHaveOpenAndSortedChunksAgain(
      boolean memory, Ordering ordering, SplittableRandom random) throws IOException {
    TestIfile ifile = new TestIfile(JOB, PARTITION, ordering, CodecId.LZ4, 1 << 20);
    Map<Long, List<TestBlock>> held = new HashMap<>();
    String id;
    try (TestServer server = TestServer.start(directory, settings(memory));
        ChunkserverClient client = server.connect()) {
      id = server.server().id();
      for (long chunk = 1; chunk <= 6; chunk++) {
        List<TestBlock> blocks = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(8); i++) {
          blocks.add(block(random, ordering, 1 + random.nextInt(60_000)));
          assertThat(ifile.append(client, chunk, blocks.get(i))).isNull();
        }
        held.put(chunk, blocks);
      }
      for (long chunk = 1; chunk <= 3; chunk++) {
        client.awaitSorted(JOB, chunk, 1000, TestIfile.DEADLINE);
      }
    }
    for (int restart = 0; restart < 2; restart++) {
      try (TestServer server = TestServer.start(directory, settings(memory));
          ChunkserverClient client = server.connect()) {
        assertThat(server.server().id()).isEqualTo(id);
        assertThat(client.listChunks(JOB).getChunksList())
            .allMatch(chunk -> chunk.getState() != ChunkState.OPEN.code());
        assertReported(server, held);
        for (Map.Entry<Long, List<TestBlock>> chunk : held.entrySet()) {
          assertThat(ifile.append(client, chunk.getKey(), chunk.getValue().get(0)))
              .as("sent again after the restart")
              .isNull();
          assertThat(ifile.append(client, chunk.getKey(), block(random, ordering, 100)))
              .isEqualTo(Status.CHUNK_FULL);
          ifile.assertHolds(client, chunk.getKey(), chunk.getValue());
        }
        assertThat(server.count(ChunkserverMetric.LOSSES)).isZero();
        if (restart == 1) {
          server.deleteJobAndAwaitNothingUsed(JOB);
          assertThat(TestServer.segmentFiles(memory ? directory.resolve("memory") : data()))
              .isZero();
        }
      }
    }
  }

  private static void assertReported(TestServer server, Map<Long, List<TestBlock>> held) {
    server.awaitHeartbeats();
    List<ChunkReport> reports = server.metaserver().registrations().get(0).getChunksList();
    assertThat(reports).hasSize(held.size());
    for (ChunkReport report : reports) {
      List<TestBlock> blocks = held.get(report.getChunk());
      assertThat(report.getJob()).isEqualTo(JOB);
      assertThat(report.getRecords())
          .isEqualTo(blocks.stream().mapToLong(block -> block.records().size()).sum());
      assertThat(report.getRawBytes())
          .isEqualTo(blocks.stream().mapToLong(block -> block.header().rawLength()).sum());
    }
  }

  /** What a kill between the end of a sort and the deletion of its input leaves, and the like. */
  @Test
  void shouldTakeTheSortedChunkAndNoOlderOne(SplittableRandom random) throws IOException {
    TestIfile ifile = new TestIfile(JOB, PARTITION, Ordering.NORMALIZED, CodecId.LZ4, 1 << 20);
    List<TestBlock> blocks = List.of(block(random, Ordering.NORMALIZED, 5000));
    try (TestServer server = TestServer.start(directory, settings(true));
        ChunkserverClient client = server.connect()) {
      assertThat(ifile.append(client, 1, blocks.get(0))).isNull();
    }
    Path segments = directory.resolve("memory/segments");
    Path unsorted;
    try (Stream<Path> files = Files.list(segments)) {
      unsorted = files.findFirst().orElseThrow();
    }
    Path copy = Files.copy(unsorted, directory.resolve("copy"));
    for (int start = 0; start < 2; start++) {
      try (TestServer server = TestServer.start(directory, settings(true));
          ChunkserverClient client = server.connect()) {
        ifile.assertHolds(client, 1, blocks);
        assertThat(client.listChunks("").getChunksCount()).isEqualTo(1);
        assertThat(TestServer.segmentFiles(directory.resolve("memory"))).isEqualTo(1);
        assertThat(server.count(ChunkserverMetric.LOSSES)).isZero();
      }
      Files.copy(copy, segments.resolve(JOB + "-1-900"));
      Files.copy(copy, segments.resolve(JOB + "-2-901"));
    }
  }

  @Test
  void shouldDeleteWhatCannotBeRead(SplittableRandom random) throws IOException {
    Path segments = Files.createDirectories(directory.resolve("memory/segments"));
    Files.write(segments.resolve("job_11-1-7"), new byte[5000]);
    Files.write(segments.resolve("job_11-2-8+seal-5000-none"), new byte[5000]);
    Files.write(segments.resolve("job_11-3-9.sorted"), new byte[5000]);
    Files.write(segments.resolve("something"), new byte[10]);
    try (TestServer server = TestServer.start(directory, settings(true));
        ChunkserverClient client = server.connect()) {
      assertThat(client.listChunks("").getChunksList()).isEmpty();
      assertThat(TestServer.segmentFiles(directory.resolve("memory"))).isZero();
      assertThat(server.count(ChunkserverMetric.LOSSES)).isEqualTo(3);
      TestIfile ifile = new TestIfile(JOB, PARTITION, Ordering.NORMALIZED, CodecId.LZ4, 1 << 20);
      TestBlock block = block(random, Ordering.NORMALIZED, 1000);
      assertThat(ifile.append(client, 1, block)).isNull();
      ifile.assertHolds(client, 1, List.of(block));
    }
  }
}

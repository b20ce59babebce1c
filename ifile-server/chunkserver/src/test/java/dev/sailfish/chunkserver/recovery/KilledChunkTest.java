package dev.sailfish.chunkserver.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestStore;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkContext;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.HeldHeap;
import dev.sailfish.chunkserver.chunk.JobChunks;
import dev.sailfish.chunkserver.chunk.Reservation;
import dev.sailfish.chunkserver.sort.SortQueue;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that dies between any two steps of any number of appenders: after each step, a copy of
 * the chunk's memory is scanned as the next process would.
 */
@Seeded
class KilledChunkTest {
  private static final int STEPS = 400;
  private static final int MOST_ARRIVING = 6;
  private static final int ROUNDS = 5;

  @TempDir private Path directory;
  private SplittableRandom random;
  private TestStore testStore;
  private Owner store;
  private ChunkContext context;
  private int nextSequence;

  /** One block on its way. */
  private static final class Arrival {
    final TestBlock block;
    final Reservation reservation;
    int written;

    Arrival(TestBlock block, Reservation reservation) {
      this.block = block;
      this.reservation = reservation;
    }
  }

  private final List<Arrival> arriving = new ArrayList<>();
  private final List<BlockHeader> acknowledged = new ArrayList<>();
  private int offered;

  @BeforeEach
  void open(SplittableRandom seeded) throws IOException {
    random = seeded;
    testStore = new TestStore(directory, 64 << 20, 4096);
    store = testStore.chunks();
    context =
        new ChunkContext(
            store,
            new SortQueue(),
            new Metrics<>(ChunkserverMetric.class),
            new HeldHeap(64 << 20),
            changed -> {},
            () -> 0);
  }

  @AfterEach
  void close() throws IOException {
    testStore.close();
  }

  @Test
  void shouldFindEveryAcknowledgedBlockAfterEveryStep() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Ordering ordering = random.nextBoolean() ? Ordering.NORMALIZED : Ordering.COMPARATOR;
      // The memory of the chunk before is used again, with its blocks in it.
      ChunkSpec spec = new ChunkSpec("job", round + 1, 0, ordering, CodecId.NONE, 1 << 20, false);
      Chunk chunk = new Chunk(spec, new JobChunks("job"), context);
      arriving.clear();
      acknowledged.clear();
      offered = 0;
      for (int step = 0; step < STEPS; step++) {
        String done = step(chunk);
        if (offered > 0) {
          check("round=" + round + " step=" + step + " " + done);
        }
      }
      assertThat(acknowledged).isNotEmpty();
      for (Arrival arrival : arriving) {
        chunk.abandon(arrival.reservation);
      }
      chunk.delete();
    }
  }

  private String step(Chunk chunk) throws RequestRefusedException {
    int dice = random.nextInt(10);
    if (arriving.isEmpty() || (dice < 3 && arriving.size() < MOST_ARRIVING)) {
      return reserve(chunk);
    }
    Arrival arrival = arriving.get(random.nextInt(arriving.size()));
    if (dice == 9) {
      arriving.remove(arrival);
      chunk.abandon(arrival.reservation);
      return "abandoned " + arrival.block.header();
    }
    if (!arrival.reservation.isComplete()) {
      return write(arrival);
    }
    arriving.remove(arrival);
    if (chunk.complete(arrival.reservation)) {
      acknowledged.add(arrival.block.header());
    }
    return "completed " + arrival.block.header();
  }

  private String reserve(Chunk chunk) throws RequestRefusedException {
    // Now and then a block that is under way already, as an appender sends it again.
    boolean again = !arriving.isEmpty() && random.nextInt(5) == 0;
    TestBlock block =
        again
            ? arriving.get(random.nextInt(arriving.size())).block
            : TestBlock.sorted(
                random,
                new TestBlock.Source(0, 1, 0, nextSequence++),
                CodecId.NONE,
                1 + random.nextInt(random.nextBoolean() ? 100 : 3000));
    Reservation reservation = chunk.reserve(block.header());
    if (reservation == null) {
      return "held already " + block.header();
    }
    offered++;
    arriving.add(new Arrival(block, reservation));
    return "reserved " + block.header();
  }

  private String write(Arrival arrival) {
    int left = arrival.block.header().storedLength() - arrival.written;
    int length = Math.min(left, 1 + random.nextInt(1500));
    int from = BlockHeader.LENGTH + arrival.written;
    arrival.reservation.write(ByteBuffer.wrap(arrival.block.bytes(), from, length));
    arrival.written += length;
    return "wrote " + length + " of " + arrival.block.header();
  }

  private void check(String done) throws IOException {
    Segment segment = store.find(store.names().iterator().next()).orElseThrow();
    int limit = (int) fileLength();
    ByteBuffer copy = ByteBuffer.allocate(limit).put(0, segment.buffer(), 0, limit);
    ChunkScan scan = ChunkScan.of(copy, limit);
    for (BlockHeader block : acknowledged) {
      assertThat(scan.held().contains(block)).as("%s: %s", done, block).isTrue();
    }
    assertThat(scan.held().blocks()).as(done).isLessThanOrEqualTo(offered);
    assertThat(ChunkScan.of(copy, limit).held().blocks())
        .as("again, %s", done)
        .isEqualTo(scan.held().blocks());
  }

  /** The only segment's file; what is pooled begins with '+'. */
  private long fileLength() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("memory"))) {
      return Files.size(
          files
              .filter(file -> !file.getFileName().toString().startsWith("+"))
              .findFirst()
              .orElseThrow());
    }
  }
}

package dev.sailfish.chunkserver.sort;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.HeldBlocks;
import dev.sailfish.chunkserver.chunk.JobChunks;
import dev.sailfish.chunkserver.chunk.RecoveredChunk;
import dev.sailfish.chunkserver.chunk.SortPlace;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.Sorter;
import dev.sailfish.chunksorter.StableChunk;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.testkit.Seeded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class SortQueueTest {
  private static final long BYTES = 1000;

  private final SortQueue queue = new SortQueue();
  private final Half sorter = new Half();
  private final Map<String, Chunk> chunks = new HashMap<>();

  /** A sorter that is always in the middle of its chunk. */
  private static final class Half implements Sorter {
    @Override
    public SortResult sort(ByteBuffer chunk, int length, ByteBuffer output, DataCipher cipher) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SortResult sortTogether(List<StableChunk> chunks, ByteBuffer output, DataCipher cipher) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SortResult index(ByteBuffer chunk, int length, ByteBuffer output) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long writtenBytes() {
      return BYTES / 2;
    }
  }

  private Chunk chunk(String job, int partition) {
    return chunk(job, partition, 0, Ordering.NORMALIZED);
  }

  private Chunk chunk(String job, int partition, int number, Ordering ordering) {
    return chunks.computeIfAbsent(
        job + partition + "/" + number,
        name -> {
          long id = chunks.size() + 1L;
          return new Chunk(
              new ChunkSpec(job, id, partition, ordering, CodecId.NONE, BYTES, false),
              new JobChunks(job),
              null);
        });
  }

  /** Adds chunks of one partition that have these bytes; a chunk may have {@link #BYTES}. */
  private void addSmall(String job, int partition, long... bytes) {
    for (long ofChunk : bytes) {
      Chunk chunk = chunk(job, partition, chunks.size(), Ordering.NORMALIZED);
      queue.add(chunk, ofChunk, ofChunk, false);
    }
  }

  private void add(String job, int... partitions) {
    for (int partition : partitions) {
      queue.add(chunk(job, partition), BYTES, BYTES, false);
    }
  }

  private String next() {
    List<Chunk> taken = queue.poll(sorter);
    if (taken.isEmpty()) {
      return "none";
    }
    taken.forEach(queue::done);
    ChunkSpec spec = taken.get(0).spec();
    return spec.job() + spec.partition() + (taken.size() > 1 ? "x" + taken.size() : "");
  }

  private List<String> rest() {
    List<String> taken = new ArrayList<>();
    for (String name = next(); !name.equals("none"); name = next()) {
      taken.add(name);
    }
    return taken;
  }

  @Test
  void jobsShouldTakeTurnsWithTheirLowestPartitions() {
    add("a", 3, 1, 2, 0, 4);
    add("b", 7, 6);
    add("c", 5);
    assertThat(rest()).containsExactly("a0", "b6", "c5", "a1", "b7", "a2", "a3", "a4");
    assertThat(queue.size()).isZero();
    assertThat(queue.bytes()).isZero();
  }

  @Test
  void aJobThatComesLaterShouldNotWaitForAllOfTheFirst() {
    add("a", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(next()).isEqualTo("a0");
    add("b", 0);
    assertThat(List.of(next(), next())).containsExactly("a1", "b0");
  }

  @Test
  void whatReadersWaitForShouldComeFirstInTheOrderOfAsking() {
    add("a", 0, 1, 2, 3);
    add("b", 0, 1);
    queue.await(chunk("a", 3));
    queue.await(chunk("b", 1));
    queue.await(chunk("a", 2));
    queue.await(chunk("a", 3));
    assertThat(queue.awaited()).isEqualTo(3);
    assertThat(rest()).containsExactly("a3", "b1", "a2", "a0", "b0", "a1");
  }

  @Test
  void aChunkThatWasAwaitedBeforeItCameShouldComeFirst() {
    add("a", 0);
    queue.add(chunk("a", 9), BYTES, BYTES, true);
    assertThat(rest()).containsExactly("a9", "a0");
  }

  @Test
  void aChunkShouldBeThereOnce() {
    add("a", 0, 0, 0);
    assertThat(queue.size()).isEqualTo(1);
    Chunk taken = queue.poll(sorter).get(0);
    add("a", 0);
    assertThat(queue.size()).as("it is being sorted").isZero();
    queue.done(taken);
    add("a", 0);
    assertThat(queue.size()).isEqualTo(1);
  }

  @Test
  void placesShouldTellWhatIsBefore() {
    add("a", 0, 1, 2);
    queue.await(chunk("a", 2));
    queue.await(chunk("a", 1));
    assertThat(queue.placeOf(chunk("a", 2))).isEqualTo(new SortPlace(0, 0, BYTES, 0));
    assertThat(queue.placeOf(chunk("a", 1))).isEqualTo(new SortPlace(1, BYTES, BYTES, 0));
    Chunk running = queue.poll(sorter).get(0);
    assertThat(queue.placeOf(running)).isEqualTo(new SortPlace(0, 0, BYTES, BYTES / 2));
    assertThat(queue.placeOf(chunk("a", 1))).isEqualTo(new SortPlace(1, BYTES / 2, BYTES, 0));
    queue.done(running);
    assertThat(queue.placeOf(running)).isNull();
    assertThat(queue.placeOf(chunk("a", 1))).isEqualTo(new SortPlace(0, 0, BYTES, 0));
    assertThat(queue.placeOf(chunk("b", 0))).isNull();
  }

  /** Whatever else happens, what is before a chunk that a reader waits for only shrinks. */
  @Test
  void whatIsBeforeAnAwaitedChunkShouldOnlyShrink(SplittableRandom random) {
    List<Chunk> running = new ArrayList<>();
    add("a", 5);
    for (int i = 0; i < 20; i++) {
      queue.add(chunk("z", i), BYTES, BYTES, random.nextBoolean());
    }
    Chunk watched = chunk("a", 5);
    queue.await(watched);
    long left = Long.MAX_VALUE;
    for (int i = 0; i < 1000 && queue.placeOf(watched) != null; i++) {
      String job = "j" + random.nextInt(3);
      switch (random.nextInt(4)) {
        case 0 -> queue.add(chunk(job, random.nextInt(50)), BYTES, BYTES, random.nextBoolean());
        case 1 -> queue.await(chunk(job, random.nextInt(50)));
        case 2 -> {
          if (running.size() < 3 && queue.size() > 0) {
            running.addAll(queue.poll(sorter));
          }
        }
        default -> {
          if (!running.isEmpty()) {
            queue.done(running.remove(random.nextInt(running.size())));
          }
        }
      }
      SortPlace place = queue.placeOf(watched);
      if (place != null) {
        long now = place.bytesAhead() + place.chunkBytes() - place.sortedBytes();
        assertThat(now).isNotNegative().isLessThanOrEqualTo(left);
        left = now;
      }
    }
    assertThat(queue.placeOf(watched)).as("it was sorted").isNull();
  }

  @Test
  void smallChunksOfAPartitionShouldBeTakenTogether() {
    addSmall("a", 0, BYTES / 4, BYTES / 4, BYTES / 2);
    addSmall("a", 1, BYTES / 2);
    addSmall("b", 0, BYTES / 4, BYTES / 4);
    assertThat(queue.size()).isEqualTo(6);
    assertThat(rest()).containsExactly("a0x3", "b0x2", "a1");
    assertThat(queue.size()).isZero();
    assertThat(queue.bytes()).isZero();
  }

  @Test
  void chunksShouldNotBeTakenTogetherThatAreMoreThanOne() {
    addSmall("a", 0, BYTES, 1, BYTES / 2, BYTES / 2, BYTES / 2);
    assertThat(rest()).containsExactly("a0", "a0x2", "a0x2");
  }

  @Test
  void chunksShouldNotBeTakenTogetherThatHaveTooManyBlocks() {
    ChunkTable table =
        new ChunkTable(null, queue, new Metrics<>(ChunkserverMetric.class), 3, () -> 0);
    int half = ChunkSpec.MAX_BLOCKS / 2;
    for (int blocks : new int[] {half, half, 1}) {
      long id = table.countByState().getOrDefault(ChunkState.STABLE, 0L);
      HeldBlocks held = new HeldBlocks();
      for (int sequence = 0; sequence < blocks; sequence++) {
        held.add(new BlockHeader(CodecId.NONE, 0, 0, 0, 0, sequence, 1, 2, 2, 0));
      }
      ChunkSpec spec = new ChunkSpec("a", id, 0, Ordering.NORMALIZED, CodecId.NONE, 1 << 20, false);
      table.recover(RecoveredChunk.stable(spec, null, held, (int) BYTES));
    }
    assertThat(queue.poll(sorter)).hasSize(2);
    assertThat(queue.poll(sorter)).hasSize(1);
  }

  @Test
  void emptyChunksAndThoseThatServersDoNotSortShouldBeTakenAlone() {
    addSmall("a", 0, 0, BYTES / 2, 0);
    for (int number = 0; number < 2; number++) {
      queue.add(chunk("b", 0, 100 + number, Ordering.COMPARATOR), 10, 10, false);
    }
    assertThat(rest()).containsExactly("a0", "b0", "a0", "b0", "a0");
  }

  @Test
  void chunksThatAreTakenTogetherShouldBeAwaitedTogether() {
    addSmall("a", 0, BYTES / 2);
    addSmall("a", 1, BYTES / 4, BYTES / 4);
    Chunk second = queue.poll(sorter).get(0);
    queue.done(second);
    List<Chunk> pair = List.copyOf(chunks.values().stream().filter(this::isOfPartition1).toList());
    queue.await(pair.get(1));
    queue.await(pair.get(0));
    assertThat(queue.awaited()).isEqualTo(2);
    for (Chunk chunk : pair) {
      assertThat(queue.placeOf(chunk)).isEqualTo(new SortPlace(0, 0, BYTES / 2, 0));
    }
    addSmall("a", 1, BYTES / 4);
    assertThat(queue.poll(sorter)).as("who comes late is behind them").hasSize(2);
    queue.putOff(pair.get(0));
    queue.done(pair.get(1));
    assertThat(queue.putOff()).isEqualTo(1);
    queue.retry();
    assertThat(rest()).as("both are small").containsExactly("a1x2");
  }

  private boolean isOfPartition1(Chunk chunk) {
    return chunk.spec().partition() == 1;
  }

  @Test
  void noSortShouldBeginWhileChunksAreClosedTogether() {
    queue.together(
        () -> {
          addSmall("a", 0, 1);
          assertThat(queue.poll(sorter)).isEmpty();
          addSmall("a", 0, 1);
        });
    assertThat(rest()).containsExactly("a0x2");
  }

  @Test
  void clearShouldForgetAllButWhatRuns() {
    add("a", 0, 1);
    queue.await(chunk("a", 1));
    Chunk running = queue.poll(sorter).get(0);
    queue.clear();
    assertThat(queue.size()).isZero();
    assertThat(queue.bytes()).isZero();
    assertThat(queue.poll(sorter)).isEmpty();
    queue.done(running);
    assertThat(queue.size()).isZero();
  }
}

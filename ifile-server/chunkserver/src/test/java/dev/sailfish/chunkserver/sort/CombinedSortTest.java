package dev.sailfish.chunkserver.sort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestStore;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.Reservation;
import dev.sailfish.chunkserver.chunk.SegmentName;
import dev.sailfish.chunkserver.chunk.SortedFile;
import dev.sailfish.chunkserver.recovery.ChunkRecovery;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.Sorter;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.chunksorter.StableChunk;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small chunks on one server, from their last block to the deletion of their file. */
@Seeded
class CombinedSortTest {
  private static final TestIfile IFILE =
      new TestIfile("job_1", 3, Ordering.NORMALIZED, CodecId.NONE, 8 << 20);
  private static final int BLOCK_BYTES = 50_000;
  private static final long[] ALL = {1, 2, 3};

  @TempDir private Path directory;
  private SplittableRandom random;
  private final Metrics<ChunkserverMetric> metrics = new Metrics<>(ChunkserverMetric.class);
  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(16 << 20, 16 << 10));
  private TestStore store;
  private SorterPool pool;
  private ChunkTable table;

  @BeforeEach
  void open(SplittableRandom seeded) throws IOException {
    random = seeded;
    open(64 << 20);
  }

  private void open(long memoryBytes) throws IOException {
    store = new TestStore(directory, memoryBytes, 4096);
    pool = new SorterPool(0, () -> sorter, (job, asked) -> null, store.chunks(), metrics);
    table = new ChunkTable(store.chunks(), pool.queue(), metrics, 100, () -> 0);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  /** Two blocks in each of three chunks, and no more. */
  private void fill() throws RequestRefusedException {
    for (long id : ALL) {
      Chunk chunk = table.forAppend(IFILE.appendRequest(id));
      for (int sequence = 0; sequence < 2; sequence++) {
        TestBlock block =
            TestBlock.random(
                random,
                new TestBlock.Source(IFILE.partition(), (int) id, 0, sequence),
                CodecId.NONE,
                BLOCK_BYTES);
        Reservation reservation = chunk.reserve(block.header());
        int stored = block.header().storedLength();
        reservation.write(ByteBuffer.wrap(block.bytes(), BlockHeader.LENGTH, stored));
        chunk.complete(reservation);
      }
    }
    table.completeJob(IFILE.job());
  }

  private Chunk chunk(long id) throws RequestRefusedException {
    return table.forReader(IFILE.job(), id);
  }

  private SortedFile look(long id) throws RequestRefusedException {
    SortedFile file = chunk(id).read();
    file.segment().release();
    return file;
  }

  private void assertOneFile() throws Exception {
    for (long id : ALL) {
      assertThat(look(id)).isEqualTo(look(1));
      assertThat(look(id).first()).isEqualTo(1);
      assertThat(chunk(id).report().getRecords()).isPositive();
    }
    ChunkTail tail = ChunkTail.read(look(1).segment().buffer(), look(1).length());
    assertThat(tail.sharedChunks()).containsExactly(ALL);
    assertThat(tail.runs()).isEqualTo(1);
    assertThat(store.chunks().names()).hasSize(1);
  }

  @Test
  void theFileShouldGoWithTheLastChunk() throws Exception {
    fill();
    assertThat(pool.queue().size()).isEqualTo(3);
    pool.sortNext(sorter);
    assertOneFile();
    assertThat(metrics.get(ChunkserverMetric.COMBINED_CHUNKS)).isEqualTo(3);
    long stored = 0;
    for (long id : ALL) {
      stored += chunk(id).storedBytes();
    }
    assertThat(stored).isBetween(look(1).length() - 2, look(1).length() + 2);
    table.deleteChunk(1);
    assertThatThrownBy(() -> look(1)).isInstanceOf(RequestRefusedException.class);
    assertThat(look(2).first()).isEqualTo(2);
    table.deleteChunk(3);
    assertThat(look(2).first()).isEqualTo(2);
    assertThat(store.chunks().names()).hasSize(1);
    table.deleteJob(IFILE.job());
    assertThat(store.chunks().names()).isEmpty();
  }

  @Test
  void onlyTheDamagedChunkShouldBeLost() throws Exception {
    fill();
    Chunk.Unsorted second = chunk(2).beginSort();
    ByteBuffer bytes = second.segment().buffer();
    bytes.put(second.length() - 1, (byte) ~bytes.get(second.length() - 1));
    second.segment().release();
    pool.sortNext(sorter);
    assertThat(chunk(1).state()).isEqualTo(ChunkState.SORTED);
    assertThat(chunk(2).state()).isEqualTo(ChunkState.LOST);
    assertThat(chunk(3).state()).isEqualTo(ChunkState.SORTED);
    assertThat(metrics.get(ChunkserverMetric.LOSSES)).isEqualTo(1);
    assertThat(metrics.get(ChunkserverMetric.COMBINED_CHUNKS)).isZero();
    assertThat(store.chunks().names()).hasSize(2);
    assertThat(pool.queue().size()).isZero();
  }

  @Test
  void withoutRoomForAllTheyShouldBeSortedOneByOne() throws Exception {
    close();
    open(500_000);
    fill();
    pool.sortNext(sorter);
    for (long id : ALL) {
      assertThat(chunk(id).state()).isEqualTo(ChunkState.SORTED);
      assertThat(look(id).first()).isEqualTo(id);
    }
    assertThat(metrics.get(ChunkserverMetric.COMBINED_CHUNKS)).isZero();
    assertThat(store.chunks().names()).hasSize(3);
  }

  /** Deletes a chunk while it is sorted. */
  private final class Deleting implements Sorter {
    private final List<Long> victims;

    Deleting(List<Long> victims) {
      this.victims = victims;
    }

    @Override
    public SortResult sort(ByteBuffer chunk, int length, ByteBuffer output, DataCipher cipher) {
      throw new AssertionError("they are sorted as one");
    }

    @Override
    public SortResult sortTogether(List<StableChunk> chunks, ByteBuffer output, DataCipher cipher)
        throws FormatException {
      SortResult result = sorter.sortTogether(chunks, output, cipher);
      victims.forEach(table::deleteChunk);
      return result;
    }

    @Override
    public SortResult index(ByteBuffer chunk, int length, ByteBuffer output) {
      throw new AssertionError("servers sort them");
    }

    @Override
    public long writtenBytes() {
      return 0;
    }
  }

  @Test
  void aChunkThatIsDeletedMeanwhileShouldNotHoldTheFile() throws Exception {
    fill();
    pool.sortNext(new Deleting(List.of(1L, 3L)));
    assertThat(look(2).first()).isEqualTo(2);
    assertThat(store.chunks().names()).hasSize(1);
    table.deleteChunk(2);
    assertThat(store.chunks().names()).isEmpty();
  }

  @Test
  void whenAllAreDeletedMeanwhileNothingShouldBeLeft() throws Exception {
    fill();
    pool.sortNext(new Deleting(List.of(1L, 2L, 3L)));
    assertThat(store.chunks().names()).isEmpty();
    assertThat(pool.queue().size()).isZero();
  }

  private Map<Path, byte[]> openFiles() throws IOException {
    Map<Path, byte[]> found = new HashMap<>();
    try (Stream<Path> files = Files.list(directory.resolve("memory"))) {
      for (Path file : files.filter(path -> path.toString().contains(IFILE.job())).toList()) {
        found.put(file, Files.readAllBytes(file));
      }
    }
    return found;
  }

  private void restart() throws IOException {
    open(64 << 20);
    new ChunkRecovery(store.chunks(), table, metrics).run();
  }

  /** The process dies before the first, and between any two, of what it deletes. */
  @Test
  void aFileAndWhatItWasSortedFromShouldBeTheFile() throws Exception {
    fill();
    Map<Path, byte[]> appended = openFiles();
    assertThat(appended).hasSize(3);
    pool.sortNext(sorter);
    byte[] sorted = bytes();
    store.close();
    for (Map.Entry<Path, byte[]> file : appended.entrySet()) {
      Files.write(file.getKey(), file.getValue());
    }
    restart();
    assertOneFile();
    assertThat(bytes()).isEqualTo(sorted);
    assertThat(metrics.get(ChunkserverMetric.LOSSES)).isZero();
  }

  private byte[] bytes() throws RequestRefusedException {
    byte[] bytes = new byte[(int) look(1).length()];
    look(1).segment().buffer().get(0, bytes);
    return bytes;
  }

  /** The process dies before the file is sealed. */
  @Test
  void chunksThatWereNotSortedToTheEndShouldBeAsTheyWere() throws Exception {
    fill();
    store.close();
    restart();
    for (long id : ALL) {
      assertThat(chunk(id).state()).isEqualTo(ChunkState.STABLE);
    }
  }

  /** As when a chunk was copied again, because its first copy was deleted here. */
  @Test
  void aSecondFileWithTheSameChunksShouldBeDeleted() throws Exception {
    fill();
    pool.sortNext(sorter);
    copyOf(bytes());
    store.close();
    restart();
    assertOneFile();
    assertThat(metrics.get(ChunkserverMetric.LOSSES)).isZero();
  }

  private Segment copyOf(byte[] bytes) throws IOException {
    String name = SegmentName.forOutput(IFILE.job(), 2);
    Segment copy = store.chunks().allocate(name, bytes.length, bytes.length, Tier.MEMORY);
    copy.buffer().put(0, bytes);
    copy.seal(bytes.length);
    return copy;
  }

  /** Who drains another server asks for one chunk, and perhaps for another one later. */
  @Test
  void aCopyShouldBringAllChunksAndReportTheOneThatWasAskedFor() throws Exception {
    fill();
    pool.sortNext(sorter);
    byte[] bytes = bytes();
    table.deleteJob(IFILE.job());
    table = new ChunkTable(store.chunks(), pool.queue(), metrics, 100, () -> 0);
    ByteBuffer file = ByteBuffer.wrap(bytes);
    ChunkHeader header = ChunkHeader.read(file, bytes.length);
    ChunkTail tail = ChunkTail.read(file, bytes.length);
    Segment segment = copyOf(bytes);
    assertThatThrownBy(() -> table.addCopy(4, header, tail, segment))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("chunk=4");
    assertThat(table.addCopy(2, header, tail, segment)).isTrue();
    assertThat(table.takeChanged()).containsExactly(chunk(2));
    assertThat(look(3).first()).as("whom the metaserver has here").isEqualTo(2);
    assertThat(table.reportAgain(1)).isTrue();
    assertThat(table.takeChanged()).containsExactly(chunk(1));
    assertOneFile();
  }
}

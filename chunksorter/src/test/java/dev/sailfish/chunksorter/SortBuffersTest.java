package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When a sorter allocates a buffer for the records of a chunk, and when it has one. */
@Seeded
class SortBuffersTest {
  /** What is sorted by way of copies has 4 MiB at least. */
  private static final int RECORDS = 40_000;

  private static final int BLOCK_BYTES = 65536;
  private static final int MEMORY = 64 << 20;

  private final SortBuffers ready = new SortBuffers();
  private final ByteBuffer output = ByteBuffer.allocateDirect(8 << 20);
  private TestChunk chunk;
  private TestChunk longer;

  @BeforeEach
  void fill(SplittableRandom random) {
    chunk = chunk(RECORDS, random);
    longer = chunk(RECORDS + RECORDS / 50, random);
  }

  private static TestChunk chunk(int records, SplittableRandom random) {
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, CodecId.NONE);
    Stream<TestRecord> some =
        Stream.generate(
            () -> new TestRecord(TestBytes.random(random, 10), TestBytes.random(random, 100)));
    return chunk.append(0, 0, 0, CodecId.NONE, some.limit(records).toList());
  }

  private static long direct() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .findFirst()
        .orElseThrow()
        .getMemoryUsed();
  }

  /** How many bytes of buffers a sort allocates; those that are collected meanwhile count less. */
  private long allocated(ChunkSorter sorter, TestChunk sorted) throws FormatException {
    ByteBuffer appended = sorted.buffer(0);
    long before = direct();
    sorter.sort(appended, sorted.length(), output);
    return direct() - before;
  }

  @Test
  void aSomewhatLongerChunkFindsRoom() throws FormatException {
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(MEMORY, BLOCK_BYTES), ready);
    assertThat(allocated(sorter, chunk)).isBetween(chunk.length() * 1L, chunk.length() * 5L / 4);
    assertThat(allocated(sorter, longer)).isLessThanOrEqualTo(0);
  }

  @Test
  void noBufferIsLongerThanTheMemoryOfTheSorter() throws FormatException {
    long arrays = (long) RECORDS * RecordOrder.BYTES_PER_RECORD;
    long needed = chunk.length() + RECORDS + arrays; // a tag of one byte for each record
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(needed, BLOCK_BYTES), ready);
    ready.add(chunk.length() + (1 << 20));
    assertThat(allocated(sorter, chunk))
        .isBetween((long) chunk.length() - RECORDS, needed - arrays);
  }

  @Test
  void aBufferThatIsReadyIsTaken() throws FormatException {
    ready.add(8 << 20);
    ready.add(1 << 20);
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(MEMORY, BLOCK_BYTES), ready);
    assertThat(allocated(sorter, chunk)).isLessThanOrEqualTo(0);
    assertThat(ready.take(1, MEMORY).capacity()).isEqualTo(1 << 20);
  }

  @Test
  void aBufferThatIsTooShortDoesNotStay() throws FormatException {
    ready.add(1 << 20);
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(MEMORY, BLOCK_BYTES), ready);
    assertThat(allocated(sorter, chunk)).isGreaterThanOrEqualTo(chunk.length());
    assertThat(ready.take(1, MEMORY)).isNull();
  }

  @ParameterizedTest
  @EnumSource(
      value = CodecId.class,
      names = {"LZ4", "ZSTD"})
  void aBufferForUncompressedRecordsIsTaken(CodecId codec) throws FormatException {
    TestChunk compressed = new TestChunk(Ordering.NORMALIZED, codec);
    compressed.append(0, 0, 0, codec, chunk.blocks().get(0).records());
    ready.add(8 << 20);
    ready.add(8 << 20);
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(MEMORY, BLOCK_BYTES), ready);
    assertThat(allocated(sorter, compressed)).isLessThan(1 << 20); // a block that is compressed
    assertThat(ready.take(1, MEMORY)).isNull();
  }
}

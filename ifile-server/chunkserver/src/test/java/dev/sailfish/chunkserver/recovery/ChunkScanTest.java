package dev.sailfish.chunkserver.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.chunk.Reservation;
import dev.sailfish.chunkserver.chunk.VoidBlock;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is found in memory that a dead process has left, torn and damaged at every place. */
@Seeded
class ChunkScanTest {
  private static final int PARTITION = 4;
  private static final int CAPACITY = 1 << 18;
  private static final ChunkHeader OLDER =
      new ChunkHeader("job_old", PARTITION, 11, Ordering.NORMALIZED, CodecId.NONE);
  private static final ChunkHeader NEWER =
      new ChunkHeader("job_new", PARTITION, 12, Ordering.NORMALIZED, CodecId.NONE);

  private SplittableRandom random;
  private ByteBuffer chunk;
  private int end;
  private int nextSequence;

  @BeforeEach
  void freshChunk(SplittableRandom seeded) {
    random = seeded;
    chunk = ByteBuffer.allocateDirect(CAPACITY);
    begin(NEWER);
  }

  private void begin(ChunkHeader header) {
    header.write(chunk);
    end = ChunkHeader.LENGTH;
  }

  private TestBlock block(int bytes) {
    TestBlock.Source source = new TestBlock.Source(PARTITION, 2, 0, nextSequence++);
    return TestBlock.random(random, source, CodecId.NONE, bytes);
  }

  /** Puts a block behind the others as {@link Reservation} does, and returns where. */
  private int put(TestBlock block) {
    int at = end;
    block.header().write(chunk, at, ChunkHeader.mark(chunk));
    int stored = block.header().storedLength();
    chunk.put(at + BlockHeader.LENGTH, block.bytes(), BlockHeader.LENGTH, stored);
    end += block.bytes().length;
    return at;
  }

  private List<TestBlock> putSome() {
    List<TestBlock> blocks = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      TestBlock block = block(1 + random.nextInt(2000));
      put(block);
      blocks.add(block);
    }
    return blocks;
  }

  /** A process that died while it wrote the sorted chunk over the appended one. */
  @Test
  void shouldCountNoSortedBlocks() throws FormatException {
    List<TestBlock> blocks = putSome();
    ByteBuffer sorted = ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(chunk, end));
    SortResult result =
        new ChunkSorter(new SorterConfig(1 << 20, 1 << 14)).sort(chunk, end, sorted);
    ByteBuffer appended = ByteBuffer.allocate(CAPACITY).put(chunk.duplicate().clear());
    List<Integer> cuts = new ArrayList<>(List.of(0, ChunkHeader.LENGTH, result.length()));
    for (int i = 0; i < 200; i++) {
      cuts.add(random.nextInt(result.length()));
    }
    for (int cut : cuts) {
      chunk.put(0, appended, 0, CAPACITY).put(0, sorted, 0, cut);
      ChunkScan scan = scan();
      List<TestBlock> intact = new ArrayList<>();
      int at = ChunkHeader.LENGTH;
      for (TestBlock block : blocks) {
        BlockHeader header = block.header();
        boolean held = scan.held().contains(header);
        boolean same =
            chunk.slice(at, block.bytes().length).mismatch(appended.slice(at, block.bytes().length))
                == -1;
        assertThat(held && !same).as("cut=%s %s is held but changed", cut, header).isFalse();
        if (held) {
          intact.add(block);
        }
        at += block.bytes().length;
      }
      assertHolds(scan, intact);
    }
  }

  private ChunkScan scan() throws FormatException {
    return ChunkScan.of(chunk, CAPACITY);
  }

  private static void assertHolds(ChunkScan scan, List<TestBlock> blocks) {
    for (TestBlock block : blocks) {
      BlockHeader header = block.header();
      assertThat(scan.held().contains(header)).as("%s", header).isTrue();
    }
    assertThat(scan.held().blocks()).isEqualTo(blocks.size());
    assertThat(scan.held().records())
        .isEqualTo(blocks.stream().mapToLong(block -> block.records().size()).sum());
    assertThat(scan.held().rawBytes())
        .isEqualTo(blocks.stream().mapToLong(block -> block.header().rawLength()).sum());
  }

  private void assertSorts(ChunkScan scan, List<TestBlock> blocks) throws FormatException {
    ByteBuffer output = ByteBuffer.allocateDirect(2 * CAPACITY);
    SortResult result =
        new ChunkSorter(new SorterConfig(4 << 20, 1 << 16)).sort(chunk, scan.end(), output);
    assertThat(result.records())
        .isEqualTo(blocks.stream().mapToLong(block -> block.records().size()).sum());
  }

  @Test
  void shouldFindAllBlocksAndWhereTheyEnd() throws FormatException {
    List<TestBlock> blocks = putSome();
    ChunkScan scan = scan();
    assertThat(scan.header()).isEqualTo(NEWER);
    assertThat(scan.end()).isEqualTo(end);
    assertThat(scan.voids()).isZero();
    assertHolds(scan, blocks);
    assertSorts(scan, blocks);
  }

  @Test
  void shouldFindNothingInAnEmptyChunk() throws FormatException {
    ChunkScan scan = scan();
    assertThat(scan.end()).isEqualTo(ChunkHeader.LENGTH);
    assertHolds(scan, List.of());
    assertSorts(scan, List.of());
  }

  @Test
  void shouldStopAtALastBlockThatIsCutAtAnyByte() throws FormatException {
    byte[] old = TestBytes.random(random, CAPACITY);
    List<TestBlock> blocks = putSome();
    int before = end;
    TestBlock last = block(300);
    put(last);
    byte[] whole = new byte[end - before];
    chunk.get(before, whole);
    for (int cut = 0; cut < whole.length; cut++) {
      chunk.put(before, whole, 0, cut);
      chunk.put(before + cut, old, 0, CAPACITY - before - cut);
      chunk.put(before + cut, (byte) ~whole[cut]);
      ChunkScan scan = scan();
      assertThat(scan.end()).as("cut at %d of %d", cut, whole.length).isEqualTo(before);
      assertHolds(scan, blocks);
    }
    chunk.put(before, whole);
    assertThat(scan().end()).isEqualTo(end);
  }

  @Test
  void shouldNotTakeALastBlockThatIsDamagedAtAnyByte() throws FormatException {
    List<TestBlock> blocks = putSome();
    int before = end;
    put(block(300));
    for (int at = before; at < end; at++) {
      byte good = chunk.get(at);
      chunk.put(at, (byte) (good ^ 1 << random.nextInt(8)));
      ChunkScan scan = scan();
      assertThat(scan.end()).as("damaged at %d of the block", at - before).isEqualTo(before);
      assertHolds(scan, blocks);
      chunk.put(at, good);
    }
    assertThat(scan().end()).isEqualTo(end);
  }

  @Test
  void shouldPassATornBlockThatOthersStandBehind() throws FormatException {
    TestBlock first = block(700);
    put(first);
    int torn = put(block(900));
    int alsoTorn = put(block(30));
    TestBlock last = block(500);
    put(last);
    chunk.put(torn + BlockHeader.LENGTH + 400, (byte) ~chunk.get(torn + BlockHeader.LENGTH + 400));
    chunk.put(alsoTorn + 14, (byte) ~chunk.get(alsoTorn + 14));
    ChunkScan scan = scan();
    assertThat(scan.end()).isEqualTo(end);
    assertThat(scan.voids()).isEqualTo(2);
    assertHolds(scan, List.of(first, last));
    assertSorts(scan, List.of(first, last));
    assertThat(scan().end()).as("found again by the next start").isEqualTo(end);
  }

  @Test
  void shouldPassABlockThatWasBeingMadeVoidAtEveryStep() throws FormatException {
    TestBlock first = block(300);
    put(first);
    TestBlock torn = block(400);
    int at = put(torn);
    TestBlock last = block(500);
    put(last);
    int length = torn.bytes().length;
    byte[] before = new byte[length];
    chunk.get(at, before);
    VoidBlock.fill(chunk, at, length, PARTITION);
    byte[] after = new byte[length];
    chunk.get(at, after);
    for (int zeros = 0; zeros <= length - BlockHeader.LENGTH; zeros++) {
      chunk.put(at, before);
      chunk.put(at + BlockHeader.LENGTH, after, BlockHeader.LENGTH, zeros);
      assertThat(scan().held().contains(2, 0, last.header().sequence())).isTrue();
    }
    for (int header = 0; header <= BlockHeader.LENGTH; header++) {
      chunk.put(at, before, 0, BlockHeader.LENGTH);
      chunk.put(at, after, 0, header);
      chunk.put(at + BlockHeader.LENGTH, after, BlockHeader.LENGTH, length - BlockHeader.LENGTH);
      ChunkScan scan = scan();
      assertThat(scan.end()).as("bytes of the header written=%d", header).isEqualTo(end);
      assertHolds(scan, List.of(first, last));
      assertSorts(scan, List.of(first, last));
    }
  }

  @Test
  void shouldNotTakeBlocksOfAnOlderChunkInTheSameMemory() throws FormatException {
    begin(OLDER);
    List<TestBlock> old = putSome();
    begin(NEWER);
    TestBlock sameLength = old.get(0);
    put(sameLength);
    ChunkScan scan = scan();
    assertThat(scan.end()).isEqualTo(end);
    assertHolds(scan, List.of(sameLength));
  }

  @Test
  void shouldCountABlockOnce() throws FormatException {
    TestBlock block = block(1000);
    put(block);
    put(block);
    TestBlock other = block(10);
    put(other);
    ChunkScan scan = scan();
    assertHolds(scan, List.of(block, other));
    assertSorts(scan, List.of(block, other));
  }

  /** What is kept of it would be more than it is itself. */
  @Test
  void shouldNotCountABlockWithoutRecords() throws FormatException {
    TestBlock first = block(300);
    put(first);
    put(TestBlock.of(new TestBlock.Source(PARTITION, 3, 0, 0), CodecId.NONE, 0, List.of()));
    TestBlock last = block(300);
    put(last);
    ChunkScan scan = scan();
    assertThat(scan.voids()).isOne();
    assertHolds(scan, List.of(first, last));
    assertSorts(scan, List.of(first, last));
  }

  @Test
  void shouldRefuseAChunkWithoutAHeader() {
    chunk.put(3, (byte) 0);
    assertThatThrownBy(this::scan).isInstanceOf(FormatException.class);
  }
}

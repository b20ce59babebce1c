package dev.sailfish.lineage.client.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A block in a file, of which pages are touched ahead of its reader, or are not. */
@Seeded
class LocalBlockReaderTest {
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 40 * MIB - 12_345;
  private static final BlockName NAME = BlockName.newBuilder().setFid(7).setBlock(3).build();
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir Path directory;

  private final SpareProcessors spare = new SpareProcessors(4, System::nanoTime);
  private final byte[] content = new byte[LENGTH];
  private Path path;

  @BeforeEach
  void write(Random random) throws IOException {
    random.nextBytes(content);
    path = directory.resolve("block");
    ByteBuffer bytes = ByteBuffer.wrap(content);
    BlockTail tail = new BlockTail(7, 3, LENGTH, BlockTail.checksums(bytes));
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(bytes);
      file.write(tail.encode());
    }
  }

  private LocalBlockReader open(SpareProcessors processors) throws IOException {
    return open(Backing.MEMORY, processors);
  }

  private LocalBlockReader open(Backing backing, SpareProcessors processors) throws IOException {
    return new LocalBlockReader(NAME, path, BlockTail.fileLength(LENGTH), backing, processors);
  }

  private BlockMapping map() throws IOException {
    try (FileChannel file = FileChannel.open(path)) {
      int[] checksums = BlockTail.checksums(ByteBuffer.wrap(content));
      return new BlockMapping(file, new BlockTail(7, 3, LENGTH, checksums), spare, true);
    }
  }

  private void flip(int at) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(new byte[] {(byte) (content[at] ^ 4)}), at);
    }
  }

  private ByteBuffer expected(int at, int count) {
    return ByteBuffer.wrap(content, at, count);
  }

  /** How often the block is mapped in this process. */
  private long mappings() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(path.toString())).count();
    }
  }

  private void awaitNoMapping() {
    await("the block is unmapped").atMost(DEADLINE).until(() -> mappings() == 0);
  }

  @ParameterizedTest
  @CsvSource({"DISK, 4", "MEMORY, 1", "MEMORY, 4", "HUGE_PAGES, 1", "HUGE_PAGES, 4"})
  void isReadOnInPieces(Backing backing, int processors, Random random) throws IOException {
    for (boolean isDirect : new boolean[] {true, false}) {
      SpareProcessors some = new SpareProcessors(processors, System::nanoTime);
      try (LocalBlockReader reader = open(backing, some)) {
        for (int at = 0; at < LENGTH; ) {
          int count = Math.min(LENGTH - at, (1 + random.nextInt(32)) * BlockTail.UNIT);
          ByteBuffer into =
              isDirect ? ByteBuffer.allocateDirect(count) : ByteBuffer.allocate(count);
          reader.read(at, into);
          assertThat(into.flip()).isEqualTo(expected(at, count));
          at += count;
        }
      }
    }
    awaitNoMapping();
  }

  @Test
  void noMoreIsTouchedThanAPieceAhead() throws IOException {
    BlockMapping mapping = map();
    mapping.readOn(MIB);
    awaitTouched(mapping);
    assertThat(mapping.isTouched(0, MIB)).isFalse();
    assertThat(mapping.isTouched(BlockMapping.AHEAD, 2 * MIB)).isFalse();
    ByteBuffer into = ByteBuffer.allocateDirect(MIB);
    mapping.read(4 * MIB, into);
    assertThat(into.flip()).isEqualTo(expected(4 * MIB, MIB));
    mapping.close();
    awaitNoMapping();
  }

  private static void awaitTouched(BlockMapping mapping) {
    await("pages are touched ahead")
        .atMost(DEADLINE)
        .until(() -> mapping.isTouched(2 * MIB, BlockMapping.AHEAD - MIB));
  }

  @Test
  void aBitThatFlipsAheadOfTheReaderIsFound(Random random) throws IOException {
    BlockMapping mapping = map();
    mapping.readOn(MIB);
    awaitTouched(mapping);
    int at = 3 * MIB + random.nextInt(MIB);
    flip(at);
    assertThatExceptionOfType(DamagedBlockException.class)
        .isThrownBy(() -> mapping.read(3 * MIB, ByteBuffer.allocateDirect(MIB)));
    assertThatExceptionOfType(DamagedBlockException.class)
        .isThrownBy(() -> mapping.view(2 * MIB, 4 * MIB));
    mapping.close();
    awaitNoMapping();
  }

  @Test
  void hugePagesAloneAreMappedAtOnce() throws IOException {
    for (Backing backing : Backing.values()) {
      try (LocalBlockReader reader = open(backing, spare)) {
        reader.read(4 * MIB, ByteBuffer.allocateDirect(BlockTail.UNIT));
        assertThat(mappings()).as("a little of %s", backing).isZero();
        reader.read(8 * MIB, ByteBuffer.allocateDirect(MIB));
        assertThat(mappings()).as("%s", backing).isEqualTo(backing == Backing.HUGE_PAGES ? 1 : 0);
      }
      awaitNoMapping();
    }
  }

  @ParameterizedTest
  @EnumSource(Backing.class)
  void aFlippedBitIsFoundInEachWay(Backing backing, Random random) throws IOException {
    int at = random.nextInt(LENGTH);
    flip(at);
    int unit = at - at % BlockTail.UNIT;
    try (LocalBlockReader reader = open(backing, spare)) {
      assertThatExceptionOfType(DamagedBlockException.class)
          .isThrownBy(() -> readAll(reader))
          .withMessageContaining("offset=" + unit);
      assertThatExceptionOfType(DamagedBlockException.class)
          .isThrownBy(() -> reader.map(0, LENGTH))
          .withMessageContaining("offset=" + unit);
      assertThatExceptionOfType(DamagedBlockException.class)
          .isThrownBy(() -> reader.map(at, 1))
          .withMessageContaining("offset=" + unit);
    }
    awaitNoMapping();
  }

  @Test
  void aBufferHasItsLimitStillAfterAFailure(Random random) throws IOException {
    flip(MIB / 4 + random.nextInt(MIB / 4)); // not in the last piece
    ByteBuffer into = ByteBuffer.allocateDirect(MIB);
    try (LocalBlockReader reader = open(spare)) {
      assertThatExceptionOfType(DamagedBlockException.class).isThrownBy(() -> reader.read(0, into));
    }
    assertThat(into.limit()).isEqualTo(MIB);
  }

  private static void readAll(LocalBlockReader reader) throws IOException {
    for (int at = 0; at < LENGTH; at += MIB) {
      reader.read(at, ByteBuffer.allocateDirect(Math.min(MIB, LENGTH - at)));
    }
  }

  @Test
  void viewsOutliveTheReaderAndTheFile(Random random) throws IOException {
    int at = random.nextInt(LENGTH - MIB);
    ByteBuffer view;
    try (LocalBlockReader reader = open(spare)) {
      view = reader.map(at, MIB);
      Files.delete(path);
      assertThat(reader.map(0, LENGTH)).isEqualTo(expected(0, LENGTH));
    }
    assertThat(view.isReadOnly()).isTrue();
    assertThat(view).isEqualTo(expected(at, MIB));
  }

  @ParameterizedTest
  @EnumSource(Backing.class)
  void aBlockThatIsMovedAwayIsReadToItsEnd(Backing backing) throws IOException {
    try (LocalBlockReader reader = open(backing, spare)) {
      reader.read(0, ByteBuffer.allocateDirect(MIB));
      Files.delete(path);
      for (int at = MIB; at < LENGTH; at += MIB) {
        ByteBuffer into = ByteBuffer.allocateDirect(Math.min(MIB, LENGTH - at));
        reader.read(at, into);
        assertThat(into.flip()).isEqualTo(expected(at, into.limit()));
      }
    }
    awaitNoMapping();
  }

  @Test
  void aReaderIsClosedWhilePagesAreTouched() throws IOException {
    ByteBuffer into = ByteBuffer.allocateDirect(MIB);
    for (int round = 0; round < 200; round++) {
      try (LocalBlockReader reader = open(spare)) {
        for (int at = 0; at < 3 * MIB; at += MIB) {
          reader.read(at, into.clear());
        }
      }
    }
    awaitNoMapping();
  }

  @Test
  void whereAllProcessorsReadNobodyHelps() throws InterruptedException {
    AtomicLong nanos = new AtomicLong();
    SpareProcessors one = new SpareProcessors(1, nanos::get);
    one.streamBegins();
    assertThat(one.offer(() -> {})).isFalse();
    one.streamEnds();
    assertThat(one.offer(() -> {})).as("it may go on in another block").isFalse();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
    CountDownLatch done = new CountDownLatch(1);
    assertThat(one.offer(done::countDown)).isTrue();
    assertThat(done.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }
}

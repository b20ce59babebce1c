package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file whose blocks are on a disk of one host and in memory of another one, in racks of their
 * own: which of them a reader takes, and what it does when that fails. With a master and two real
 * workers.
 */
@Seeded
@Timeout(120)
class NearestCopyTest {
  private static final int BLOCK = TestStore.BLOCK;
  private static final int BLOCKS = 3;
  private static final String DISK_HOST = "localhost";
  private static final String MEMORY_HOST = "127.0.0.1";

  /** In the rack of the host with the disk; that of hosts that are not named is another one. */
  private static final String NEIGHBOUR = "neighbour";

  private static final int DISK = 1;
  private static final int MEMORY = 2;

  @TempDir private Path directory;
  private TestStore store;
  private byte[] content;

  /** A drain has copied the blocks, and goes on. */
  @BeforeEach
  void start(Seed seed) throws IOException {
    store =
        new TestStore(
            directory,
            Map.of("authentication", "none"),
            Map.of("racks", "%s=/a,%s=/a,%s=/b".formatted(NEIGHBOUR, DISK_HOST, MEMORY_HOST)));
    store.startWorker(MEMORY, "host", MEMORY_HOST);
    content = new byte[BLOCKS * BLOCK];
    seed.random().nextBytes(content);
    try (FileOutput out = store.client(Set.of()).create(TestStore.file("/f"))) {
      out.write(content);
    }
    String disk = directory.resolve("disk") + ":disktype=SSD:capacity=64m";
    store.startWorker(DISK, "host", DISK_HOST, "dirs", disk, "scrub", "1h");
    String address = store.address(MEMORY).replace("localhost", MEMORY_HOST);
    try (StoreAdmin admin = store.admin()) {
      await("both have all blocks")
          .atMost(Duration.ofSeconds(60))
          .until(() -> admin.drain(address, false).getDrained());
    }
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private FileInput open(String host) throws IOException {
    return store.client(Set.of(host)).open("/f");
  }

  @Test
  void aDiskHereIsNearerThanMemoryElsewhere() throws IOException {
    try (FileInput in = open(DISK_HOST)) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    assertThat(store.metric(DISK, "blocks_shared_total")).isEqualTo(BLOCKS);
    assertThat(store.metric(MEMORY, "read_bytes_total")).isEqualTo(copied());
  }

  /** What the other worker has read. */
  private long copied() {
    return content.length;
  }

  @Test
  void aDiskInThisRackIsNearerThanMemoryInAnotherOne() throws IOException {
    try (FileInput in = open(NEIGHBOUR)) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    assertThat(store.metric(DISK, "read_bytes_total")).isEqualTo(content.length);
    assertThat(store.metric(MEMORY, "read_bytes_total")).isEqualTo(copied());
  }

  @Test
  void elsewhereMemoryComesFirst() throws IOException {
    try (FileInput in = open("far")) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    assertThat(store.metric(DISK, "read_bytes_total")).isZero();
    assertThat(store.metric(MEMORY, "read_bytes_total")).isEqualTo(copied() + content.length);
  }

  @Test
  void theNextPlaceGoesOnWhereOneFailsInTheMiddle() throws IOException {
    try (FileInput in = open("far")) {
      byte[] half = new byte[BLOCK + BLOCK / 2];
      assertThat(in.readNBytes(half, 0, half.length)).isEqualTo(half.length);
      store.stopWorker(MEMORY);
      assertThat(half).isEqualTo(Arrays.copyOf(content, half.length));
      assertThat(in.readAllBytes())
          .isEqualTo(Arrays.copyOfRange(content, half.length, content.length));
    }
    assertThat(store.metric(DISK, "read_bytes_total")).isPositive();
  }

  @Test
  void elsewhereGivesAllOfOneReadOfABlockThatIsDamagedHere() throws IOException {
    try (FileInput in = open(DISK_HOST)) {
      flip(in.fid(), BLOCK / 2);
      ByteBuffer read = ByteBuffer.allocateDirect(BLOCK);
      assertThat(in.read(0, read)).isEqualTo(BLOCK);
      assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(content, 0, BLOCK));
    }
    assertThat(store.metric(MEMORY, "read_bytes_total")).isEqualTo(copied() + BLOCK);
  }

  /** On its host, and over the network. */
  @ParameterizedTest
  @ValueSource(strings = {DISK_HOST, NEIGHBOUR})
  void aWorkerHearsThatTheEndOfABlockIsDamaged(String host) throws IOException {
    try (FileInput in = open(host)) {
      flip(in.fid(), BLOCK); // the first byte behind what was written
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    await("the block is lost")
        .atMost(Duration.ofSeconds(30))
        .until(() -> store.metric(DISK, "blocks_damaged_total") == 1);
  }

  /** A bit of the file's first block, on the disk. */
  private void flip(long fid, int at) throws IOException {
    String block = "%016x-0@".formatted(fid);
    try (Stream<Path> files = Files.list(directory.resolve("disk/segments"))) {
      Path file =
          files
              .filter(each -> each.getFileName().toString().startsWith(block))
              .findAny()
              .orElseThrow();
      try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
        opened.seek(at);
        int before = opened.read();
        opened.seek(at);
        opened.write(before ^ 4);
      }
    }
  }

  @Test
  void elsewhereTakesOverWhenThisHostFails() throws IOException {
    try (FileInput in = open(DISK_HOST)) {
      byte[] half = new byte[BLOCK / 2];
      assertThat(in.readNBytes(half, 0, half.length)).isEqualTo(half.length);
      store.stopWorker(DISK);
      assertThat(in.readAllBytes())
          .isEqualTo(Arrays.copyOfRange(content, half.length, content.length));
    }
    assertThat(store.metric(MEMORY, "read_bytes_total")).isGreaterThan(copied());
  }
}

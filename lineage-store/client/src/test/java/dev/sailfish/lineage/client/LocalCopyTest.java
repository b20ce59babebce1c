package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies that readers leave on their own host of what another host's worker has, with a master and
 * two real workers.
 */
@Seeded
@Timeout(120)
class LocalCopyTest {
  private static final int BLOCK = TestStore.BLOCK;
  private static final int TIER_MASK = 3;
  private static final int BLOCKS = 4;
  private static final int NEAR = 1;
  private static final int FAR = 2;
  private static final Set<String> NEAR_HOST = Set.of("localhost");
  private static final Set<String> FAR_HOST = Set.of("127.0.0.1");

  @TempDir private Path directory;
  private TestStore store;
  private StoreClient reader;
  private StoreClient writer;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    store.startWorker(FAR, "host", "127.0.0.1");
    reader = store.client(NEAR_HOST);
    writer = store.client(FAR_HOST);
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private static ConditionFactory within(String what) {
    return await(what).atMost(Duration.ofSeconds(60));
  }

  private static byte[] write(StoreClient by, String path, int length, Random random)
      throws IOException {
    byte[] content = new byte[length];
    random.nextBytes(content);
    try (FileOutput out = by.create(TestStore.file(path))) {
      out.write(content);
    }
    return content;
  }

  private byte[] read(String path) throws IOException {
    try (FileInput in = reader.open(path)) {
      return in.readAllBytes();
    }
  }

  /** Leaves nothing here: what is copied takes room at any time. */
  private byte[] readOnly(String path) throws IOException {
    try (FileInput in = reader.open(path, ReadMode.READ_AS_MOUNTED, false)) {
      return in.readAllBytes();
    }
  }

  private long copies() {
    return store.metric(NEAR, "local_copies_total");
  }

  private int places(String path) throws IOException {
    OpenFileResponse opened = reader.namespace().open(path, 0);
    return opened.getBlocksList().stream().mapToInt(block -> block.getPlacesCount()).sum();
  }

  @Test
  void aStreamLeavesItsBlocksHere(Seed seed) throws IOException {
    store.startWorker(NEAR);
    byte[] content = write(writer, "/f", BLOCKS * BLOCK - 7, seed.random());
    assertThat(read("/f")).isEqualTo(content);
    within("all blocks are copied").until(() -> copies() == BLOCKS);
    assertThat(store.metric(NEAR, "local_copy_bytes_total")).isEqualTo(content.length);
    within("the master knows").until(() -> places("/f") == 2 * BLOCKS);
    long before = store.metric(FAR, "read_bytes_total");
    assertThat(read("/f")).isEqualTo(content);
    assertThat(store.metric(FAR, "read_bytes_total")).isEqualTo(before);
    store.stopWorker(FAR);
    assertThat(read("/f")).isEqualTo(content);
  }

  @Test
  void aStreamGoesOnFromTheCopy(Seed seed) throws IOException {
    store.startWorker(NEAR);
    byte[] content = write(writer, "/f", BLOCK, seed.random());
    try (FileInput in = reader.open("/f")) {
      byte[] read = in.readNBytes(BLOCK / 4);
      within("the copy is there").until(() -> copies() == 1);
      long before = store.metric(FAR, "read_bytes_total");
      byte[] rest = in.readAllBytes();
      assertThat(ByteBuffer.allocate(BLOCK).put(read).put(rest).array()).isEqualTo(content);
      assertThat(store.metric(FAR, "read_bytes_total")).isEqualTo(before);
    }
  }

  @Test
  void manyReadersFetchABlockOnce(Seed seed) throws Exception {
    store.startWorker(NEAR);
    byte[] content = write(writer, "/f", BLOCK, seed.random());
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<byte[]>> reads = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        reads.add(threads.submit(() -> read("/f")));
      }
      for (Future<byte[]> each : reads) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo(content);
      }
    } finally {
      threads.shutdownNow();
    }
    within("it is copied").until(() -> copies() == 1);
    assertThat(read("/f")).isEqualTo(content);
    assertThat(copies()).isOne();
    assertThat(store.metric(NEAR, "blocks")).isOne();
  }

  @Test
  void whoReadsSomewhereOrKeepsNothingLeavesNothing(Seed seed) throws IOException {
    store.startWorker(NEAR);
    byte[] content = write(writer, "/f", 2 * BLOCK, seed.random());
    ByteBuffer some = ByteBuffer.allocate(BLOCK);
    try (FileInput in = reader.open("/f")) {
      in.read(0, some);
      in.seek(BLOCK + BLOCK / 2);
      assertThat(in.readAllBytes()).hasSize(BLOCK / 2);
    }
    try (FileInput in = reader.open("/f", ReadMode.READ_DIRECT)) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    try (FileInput in = reader.open("/f", ReadMode.READ_AS_MOUNTED, false)) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    write(writer, "/last", BLOCK, seed.random());
    read("/last");
    within("another one is copied").until(() -> copies() == 1);
    assertThat(store.metric(NEAR, "blocks")).isOne();
  }

  @Test
  void copiesTakeNoMoreThanTheirPartAndMakeRoomForEachOther(Seed seed) throws IOException {
    store.startWorker(NEAR, "local.copies.percent", "10"); // of 64 MiB
    for (int i = 0; i < 12; i++) {
      write(writer, "/f/" + i, BLOCK, seed.random());
      read("/f/" + i);
      int file = i;
      within("it is copied, some time")
          .until(() -> read("/f/" + file).length == BLOCK && places("/f/" + file) == 2);
      assertThat(store.metric(NEAR, "blocks")).isLessThanOrEqualTo(6);
    }
    assertThat(store.metric(NEAR, "spares_dropped_total")).isPositive();
  }

  @Test
  void withoutAPartNothingIsLeft(Seed seed) throws IOException {
    store.startWorker(NEAR, "local.copies.percent", "0");
    byte[] content = write(writer, "/f", 2 * BLOCK, seed.random());
    assertThat(read("/f")).isEqualTo(content);
    assertThat(store.metric(NEAR, "blocks")).isZero();
  }

  private long memory(String which) throws IOException {
    return store.metric(NEAR, "memory_%s_bytes".formatted(which));
  }

  @Test
  void copiesGoBeforeAnythingElse(Seed seed) throws IOException {
    store.startWorker(
        NEAR,
        "scrub", // which uses a block
        "1h",
        "dirs",
        "%s:disktype=MEM:capacity=20m,%s:capacity=100m"
            .formatted(store.memory(NEAR), directory.resolve("disk")));
    byte[] content = write(writer, "/far", 8 * BLOCK, seed.random());
    assertThat(read("/far")).isEqualTo(content);
    within("all blocks are copied").until(() -> copies() == 8);
    for (int i = 0; i < 16; i++) {
      // What is written while memory is full goes to the disk at once.
      within("room has come").until(() -> memory("capacity") - memory("used") > 2 * BLOCK);
      write(reader, "/own/" + i, BLOCK, seed.random());
      assertThat(readOnly("/far")).isEqualTo(content); // used last
    }
    within("the copies are gone").until(() -> store.metric(NEAR, "spares_dropped_total") >= 6);
    for (int i = 0; i < 16; i++) {
      OpenFileResponse own = reader.namespace().open("/own/" + i, 0);
      assertThat(own.getBlocks(0).getPlacesList()).allMatch(place -> (place & TIER_MASK) == 0);
    }
    assertThat(read("/far")).isEqualTo(content);
  }
}

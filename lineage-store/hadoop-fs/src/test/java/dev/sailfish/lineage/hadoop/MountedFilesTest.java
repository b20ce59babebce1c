package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.client.TransferOutcome;
import dev.sailfish.lineage.protocol.wire.FreeFilesResponse;
import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files under a mount of a local directory, in all ways of writing and reading. */
@Seeded
@Timeout(240)
class MountedFilesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int BLOCK = MountedStore.BLOCK;
  private static final int[] LENGTHS = {0, 1, 65_536, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 77};

  @TempDir private Path directory;
  private Path below;
  private MountedStore store;
  private StoreClient client;

  @BeforeEach
  void start() throws IOException {
    below = Files.createDirectory(directory.resolve("below"));
    store = new MountedStore(directory);
  }

  @AfterEach
  void stop() throws IOException {
    HangingFileSystem.letGo();
    store.close();
  }

  private void startAndMount(String capacity, String options) throws IOException {
    store.startWorker(1, capacity, "full.deadline", "20s");
    client = store.client(true);
    client
        .mounts()
        .add("/m " + below.toUri() + " sync=0s buffer=256k cache.block.size=1m " + options);
  }

  private static byte[] content(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static void write(StoreClient client, String path, WriteMode mode, byte[] content)
      throws IOException {
    try (FileOutput out = client.create(MountedStore.file(path, mode))) {
      out.write(content);
    }
  }

  private static byte[] read(StoreClient client, String path, ReadMode mode) throws IOException {
    try (FileInput in = client.open(path, mode)) {
      return in.readAllBytes();
    }
  }

  private List<String> namesBelow() throws IOException {
    try (Stream<Path> all = Files.list(below)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  private void freeAll(String path) throws IOException {
    client.mounts().free(path);
    await("the blocks are gone").atMost(DEADLINE).until(() -> store.metric(1, "blocks") == 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writesThroughAndReadsInThreeWays(boolean isLocal, Seed seed) throws IOException {
    startAndMount("64m", "");
    StoreClient user = store.client(isLocal);
    Random random = seed.random();
    for (int length : LENGTHS) {
      byte[] content = content(random, length);
      String path = "/m/d/" + length;
      write(user, path, WriteMode.WRITE_THROUGH, content);
      assertThat(Files.readAllBytes(below.resolve("d/" + length))).isEqualTo(content);
      assertThat(client.namespace().stat(path).getBelow()).isTrue();
      assertThat(read(user, path, ReadMode.READ_MEMORY)).isEqualTo(content);
    }
    assertThat(store.metric(1, "blocks_loaded_total")).isZero();
    freeAll("/m");
    assertReadBelow(user);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writesBelowAloneAndReadsInThreeWays(boolean isLocal, Seed seed) throws IOException {
    startAndMount("64m", "");
    StoreClient user = store.client(isLocal);
    Random random = seed.random();
    for (int length : LENGTHS) {
      byte[] content = content(random, length);
      write(user, "/m/d/" + length, WriteMode.WRITE_BYPASS, content);
      assertThat(Files.readAllBytes(below.resolve("d/" + length))).isEqualTo(content);
      assertThat(client.namespace().stat("/m/d/" + length).getLength()).isEqualTo(length);
    }
    assertThat(store.metric(1, "blocks")).isZero();
    assertReadBelow(user);
  }

  /** Of files of which no worker has a block. */
  private void assertReadBelow(StoreClient user) throws IOException {
    long before = store.metric(1, "blocks_loaded_total");
    for (int length : LENGTHS) {
      byte[] content = Files.readAllBytes(below.resolve("d/" + length));
      String path = "/m/d/" + length;
      assertThat(read(user, path, ReadMode.READ_DIRECT)).isEqualTo(content);
      if (length > 0) {
        assertThatThrownBy(() -> read(user, path, ReadMode.READ_MEMORY))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("block 0 of " + length)
            .hasMessageContaining("is not in memory");
      }
    }
    assertThat(store.metric(1, "blocks_loaded_total")).isEqualTo(before);
    assertThat(store.metric(1, "below_read_bytes_total")).isPositive();
    for (int length : LENGTHS) {
      byte[] content = Files.readAllBytes(below.resolve("d/" + length));
      String path = "/m/d/" + length;
      assertThat(read(user, path, ReadMode.READ_AS_MOUNTED)).isEqualTo(content);
      await("the master knows the loaded blocks")
          .atMost(DEADLINE)
          .ignoreExceptionsInstanceOf(IOException.class)
          .untilAsserted(
              () -> assertThat(read(user, path, ReadMode.READ_MEMORY)).isEqualTo(content));
    }
    // 0: none, then one of each, and four of the longest; none is loaded twice.
    assertThat(store.metric(1, "blocks_loaded_total") - before).isEqualTo(10);
  }

  @Test
  void writesIntoMemoryAndCopiesWhenAsked(Seed seed) throws IOException {
    startAndMount("64m", "");
    byte[] content = content(seed.random(), 2 * BLOCK + 5);
    write(client, "/m/a/file", WriteMode.WRITE_AS_MOUNTED, content);
    write(client, "/m/a/empty", WriteMode.WRITE_AS_MOUNTED, new byte[0]);
    assertThat(namesBelow()).isEmpty();
    assertThat(client.namespace().stat("/m/a/file").getBelow()).isFalse();
    TransferOutcome copied = client.copy("/m");
    assertThat(copied.failures()).isEmpty();
    assertThat(copied).isEqualTo(new TransferOutcome(2, 2, content.length, 0, Map.of()));
    assertThat(below.resolve("a/file")).hasBinaryContent(content);
    assertThat(below.resolve("a/empty")).exists();
    assertThat(client.copy("/m").done()).isZero();
    freeAll("/m");
    TransferOutcome loaded = client.load("/m");
    assertThat(loaded.failures()).isEmpty();
    assertThat(loaded.bytes()).isEqualTo(content.length);
    await("the master knows the loaded blocks")
        .atMost(DEADLINE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(
            () -> assertThat(read(client, "/m/a/file", ReadMode.READ_MEMORY)).isEqualTo(content));
  }

  @Test
  void whatIsPinnedIsNotFreed(Seed seed) throws IOException {
    startAndMount("64m", "");
    byte[] content = content(seed.random(), BLOCK);
    for (String path : List.of("/m/pinned/a", "/m/pinned/b", "/m/other")) {
      write(client, path, WriteMode.WRITE_THROUGH, content);
    }
    client.namespace().setPin("/m/pinned", true);
    for (String path : List.of("/m/pinned", "/m/pinned/a")) {
      assertThatThrownBy(() -> client.mounts().free(path))
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining(path + " is pinned, by the pin of /m/pinned")
          .hasMessageContaining("unpin /m/pinned first");
    }
    FreeFilesResponse freed = client.mounts().free("/m");
    assertThat(freed.getFreed()).isOne();
    assertThat(freed.getPinned()).isEqualTo(2);
    await("the other one is gone").atMost(DEADLINE).until(() -> store.metric(1, "blocks") == 2);
    assertThat(read(client, "/m/pinned/a", ReadMode.READ_MEMORY)).isEqualTo(content);
    client.namespace().setPin("/m/pinned", false);
    freeAll("/m");
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE_MEMORY", "WRITE_BYPASS", "WRITE_THROUGH"})
  void replacesTheFileBelow(WriteMode mode, Seed seed) throws IOException {
    startAndMount("64m", "");
    Random random = seed.random();
    Files.write(below.resolve("file"), content(random, BLOCK));
    for (int i = 0; i < 3; i++) {
      byte[] content = content(random, BLOCK + i);
      try (FileOutput out =
          client.create(MountedStore.file("/m/file", mode).toBuilder().setReplace(true).build())) {
        out.write(content);
      }
      assertThat(read(client, "/m/file", ReadMode.READ_MIXED)).isEqualTo(content);
      assertThat(client.copy("/m").failures()).isEmpty();
      assertThat(below.resolve("file")).hasBinaryContent(content);
    }
    assertThat(namesBelow()).containsExactly("file");
  }

  /** What others have put there is not written over. */
  @Test
  void leavesAFileBelowThatIsNotTheOneToBeReplaced(Seed seed) throws IOException {
    startAndMount("64m", "");
    FileOutput out = client.create(MountedStore.file("/m/file", WriteMode.WRITE_BYPASS));
    out.write(content(seed.random(), 2 * BLOCK));
    Files.write(below.resolve("file"), new byte[] {1, 2, 3});
    assertThatThrownBy(out::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("there is another file already");
    assertThat(below.resolve("file")).hasBinaryContent(new byte[] {1, 2, 3});
    await("nothing else is below")
        .atMost(DEADLINE)
        .until(() -> namesBelow().equals(List.of("file")));
  }

  @Test
  void copiesBlocksOfTwoWorkers(Seed seed) throws IOException {
    store.startWorker(1, "3m", "full.deadline", "0s");
    store.startWorker(2, "64m");
    client = store.client(false);
    client.mounts().add("/m " + below.toUri() + " sync=0s");
    byte[] content = content(seed.random(), 12 * BLOCK);
    write(client, "/m/file", WriteMode.WRITE_MEMORY, content);
    await().atMost(DEADLINE).until(() -> store.metric(2, "blocks") > 0);
    assertThat(client.copy("/m").failures()).isEmpty();
    assertThat(below.resolve("file")).hasBinaryContent(content);
    write(client, "/m/other", WriteMode.WRITE_THROUGH, content);
    assertThat(below.resolve("other")).hasBinaryContent(content);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE_BYPASS", "WRITE_THROUGH"})
  void givesUpWithoutATrace(WriteMode mode, Seed seed) throws IOException {
    startAndMount("64m", "");
    FileOutput out = client.create(MountedStore.file("/m/file", mode));
    out.write(content(seed.random(), 2 * BLOCK));
    await("something is written below").atMost(DEADLINE).until(() -> !namesBelow().isEmpty());
    out.abandon();
    await("nothing is below").atMost(DEADLINE).until(() -> namesBelow().isEmpty());
    assertThatThrownBy(() -> client.namespace().stat("/m/file"))
        .isInstanceOf(StoreRefusedException.class);
    await().atMost(DEADLINE).until(() -> store.metric(1, "copies_writing") == 0);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE_BYPASS", "WRITE_THROUGH"})
  void aDeadWriterLeavesNothing(WriteMode mode, Seed seed) throws IOException {
    startAndMount("64m", "");
    StoreClient dying = store.client(true);
    FileOutput out = dying.create(MountedStore.file("/m/file", mode));
    out.write(content(seed.random(), 2 * BLOCK));
    await("something is written below").atMost(DEADLINE).until(() -> !namesBelow().isEmpty());
    dying.close();
    await("nothing is below").atMost(DEADLINE).until(() -> namesBelow().isEmpty());
  }

  /** Longer than a copy may be silent, because its client lives. */
  @Test
  void aSlowWriterIsWaitedFor(Seed seed) throws IOException {
    startAndMount("64m", "");
    byte[] content = content(seed.random(), 2 * BLOCK);
    try (FileOutput out = client.create(MountedStore.file("/m/file", WriteMode.WRITE_BYPASS))) {
      out.write(content, 0, BLOCK);
      long endNs = System.nanoTime() + MountedStore.LEASE.multipliedBy(2).toNanos();
      await().atMost(DEADLINE).until(() -> System.nanoTime() - endNs > 0);
      out.write(content, BLOCK, BLOCK);
    }
    assertThat(below.resolve("file")).hasBinaryContent(content);
  }

  @Test
  void aStoppedWorkerLeavesNothing(Seed seed) throws IOException {
    startAndMount("64m", "");
    FileOutput out = client.create(MountedStore.file("/m/file", WriteMode.WRITE_BYPASS));
    out.write(content(seed.random(), 2 * BLOCK));
    await("something is written below").atMost(DEADLINE).until(() -> !namesBelow().isEmpty());
    store.stopWorker(1);
    assertThat(namesBelow()).isEmpty();
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"READ_DIRECT", "READ_MIXED"})
  void noticesThatTheFileBelowIsAnother(ReadMode mode, Seed seed) throws IOException {
    startAndMount("64m", "");
    byte[] one = content(seed.random(), 3 * BLOCK);
    byte[] two = content(seed.random(), 3 * BLOCK);
    Files.write(below.resolve("file"), one);
    try (FileInput in = client.open("/m/file", mode)) {
      assertThat(in.read()).isEqualTo(one[0] & 0xff);
      Path other = Files.write(directory.resolve("other"), two);
      Files.move(other, below.resolve("file"), StandardCopyOption.REPLACE_EXISTING);
      in.seek(2 * BLOCK + 1);
      assertThatThrownBy(in::readAllBytes)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("open it again");
    }
    assertThat(read(client, "/m/file", mode)).isEqualTo(two);
  }

  @Test
  void readsDirectlyWhereNoTierHasRoom(Seed seed) throws IOException {
    startAndMount("4m", "");
    write(client, "/kept", WriteMode.WRITE_MEMORY, content(seed.random(), 3 * BLOCK));
    byte[] content = content(seed.random(), 4 * BLOCK);
    Files.write(below.resolve("file"), content);
    assertThat(read(client, "/m/file", ReadMode.READ_MIXED)).isEqualTo(content);
    assertThat(store.metric(1, "below_read_bytes_total")).isPositive();
    assertThat(read(client, "/kept", ReadMode.READ_MEMORY)).hasSize(3 * BLOCK);
  }

  @Test
  void makesRoomOfWhatIsBelowAlone(Seed seed) throws IOException {
    startAndMount("16m", "");
    Random random = seed.random();
    byte[] kept = content(random, 4 * BLOCK);
    write(client, "/kept", WriteMode.WRITE_MEMORY, kept);
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      contents.add(content(random, 4 * BLOCK));
      write(client, "/m/" + i, WriteMode.WRITE_THROUGH, contents.get(i));
    }
    assertThat(store.metric(1, "blocks_dropped_total")).isPositive();
    assertThat(read(client, "/kept", ReadMode.READ_MEMORY)).isEqualTo(kept);
    for (int i = 0; i < 10; i++) {
      assertThat(read(client, "/m/" + i, ReadMode.READ_MIXED)).isEqualTo(contents.get(i));
    }
  }

  @Test
  void copiesWhatIsInMemoryAloneToMakeRoom(Seed seed) throws IOException {
    startAndMount("16m", "");
    Random random = seed.random();
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      contents.add(content(random, 4 * BLOCK));
      write(client, "/m/" + i, WriteMode.WRITE_MEMORY, contents.get(i));
    }
    assertThat(store.metric(1, "files_copied_total")).isPositive();
    for (int i = 0; i < 10; i++) {
      assertThat(read(client, "/m/" + i, ReadMode.READ_MIXED)).isEqualTo(contents.get(i));
    }
  }

  @Test
  void memoryGoesOnWhileTheUnderStoreHangs(Seed seed) throws Exception {
    store.startWorker(1, "64m");
    client = store.client(true);
    client
        .mounts()
        .add(
            "/m hanging://x%s sync=1h threads=2 streams=4 rename=atomic deadline=3s hadoop.fs.hanging.impl=%s"
                .formatted(below, HangingFileSystem.class.getName()));
    byte[] content = content(seed.random(), 2 * BLOCK);
    Files.write(below.resolve("file"), content);
    FileInput[] readers = new FileInput[6];
    for (int i = 0; i < readers.length; i++) {
      readers[i] = store.client(true).open("/m/file", ReadMode.READ_MIXED);
    }
    HangingFileSystem.hang();
    List<Thread> waiting = new ArrayList<>();
    for (FileInput reader : readers) {
      Thread thread = new Thread(() -> readOrFail(reader));
      thread.start();
      waiting.add(thread);
    }
    for (int round = 0; round < 20; round++) {
      byte[] other = content(seed.random(), BLOCK + 1);
      String path = "/memory-" + round;
      write(client, path, WriteMode.WRITE_MEMORY, other);
      assertThat(read(client, path, ReadMode.READ_MEMORY)).isEqualTo(other);
      client.namespace().delete(path, false);
    }
    HangingFileSystem.letGo();
    for (Thread thread : waiting) {
      thread.join();
    }
    await()
        .atMost(DEADLINE)
        .ignoreExceptions()
        .until(() -> Arrays.equals(read(client, "/m/file", ReadMode.READ_MIXED), content));
  }

  private static void readOrFail(FileInput reader) {
    try (reader) {
      reader.readAllBytes();
    } catch (IOException e) {
      assertThat(e).isNotNull(); // while it hangs it may fail; it must not stay
    }
  }
}

package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files through a real master and real workers, in the workers' files and over the network. */
@Seeded
@Timeout(120)
class StoreClientTest {
  private static final int BLOCK = TestStore.BLOCK;

  @TempDir private Path directory;
  private TestStore store;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    store.startWorker(1);
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private StoreClient client(boolean local) {
    return store.client(local ? Set.of("localhost") : Set.of());
  }

  private static byte[] content(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static void write(StoreClient client, String path, byte[] content) throws IOException {
    try (FileOutput out = client.create(TestStore.file(path))) {
      out.write(content);
    }
  }

  private static byte[] read(StoreClient client, String path) throws IOException {
    try (FileInput in = client.open(path)) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsWhatWasWritten(boolean local, Seed seed) throws IOException {
    Random random = seed.random();
    StoreClient client = client(local);
    int[] lengths = {0, 1, BlockTail.UNIT, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 12_345};
    for (int length : lengths) {
      byte[] content = content(random, length);
      write(client, "/d/" + length, content);
      assertThat(read(client, "/d/" + length)).isEqualTo(content);
      assertThat(client.namespace().stat("/d/" + length).getLength()).isEqualTo(length);
    }
    assertThat(counter("blocks_shared_total") > 0).isEqualTo(local);
    assertThat(counter("read_bytes_total") == 0).isEqualTo(local);
  }

  private long counter(String name) {
    return store.metric(1, name);
  }

  /** Any way of writing and reading gives the same bytes as an array. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void isAnArrayOfBytes(boolean local, Seed seed) throws IOException {
    Random random = seed.random();
    StoreClient client = client(local);
    for (int round = 0; round < 6; round++) {
      byte[] content = content(random, random.nextInt(4 * BLOCK));
      String path = "/f" + round;
      try (FileOutput out = client.create(TestStore.file(path))) {
        writeInPieces(out, content, random);
      }
      try (FileInput in = client.open(path)) {
        for (int i = 0; i < 60; i++) {
          assertSame(in, content, random);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneThreadHasManyFilesOnTheirWay(boolean local, Seed seed) throws IOException {
    Random random = seed.random();
    StoreClient client = client(local);
    List<byte[]> contents = new ArrayList<>();
    List<CompletableFuture<FileOutput>> begun = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      contents.add(content(random, random.nextInt(2 * BLOCK)));
      begun.add(client.createAsync(TestStore.file("/many/" + i)));
    }
    List<CompletableFuture<FileEntry>> closed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      FileOutput out = begun.get(i).join();
      out.write(contents.get(i));
      closed.add(out.closeAsync());
      out.close();
      out.abandon();
    }
    for (int i = 0; i < 20; i++) {
      assertThat(closed.get(i).join().getLength()).isEqualTo(contents.get(i).length);
      assertThat(read(client, "/many/" + i)).isEqualTo(contents.get(i));
    }
    assertThatThrownBy(client.createAsync(TestStore.file("/many/0"))::join)
        .hasCauseInstanceOf(StoreRefusedException.class);
  }

  @Test
  void aFileThatCannotBeCompletedIsGivenUp() throws IOException {
    StoreClient client = client(true);
    FileOutput out = client.createAsync(TestStore.file("/f")).join();
    out.write(new byte[BLOCK]);
    client.namespace().delete("/f", false);
    assertThatThrownBy(out.closeAsync()::join).hasCauseInstanceOf(StoreRefusedException.class);
    awaitBlocks(0);
  }

  private static void writeInPieces(FileOutput out, byte[] content, Random random)
      throws IOException {
    for (int at = 0; at < content.length; ) {
      int left = content.length - at;
      int count = Math.min(left, 1 + random.nextInt(random.nextBoolean() ? 100 : 2 * BLOCK));
      switch (random.nextInt(3)) {
        case 0 -> {
          out.write(content[at]);
          count = 1;
        }
        case 1 -> out.write(content, at, count);
        default -> out.write(ByteBuffer.allocateDirect(count).put(content, at, count).flip());
      }
      at += count;
      assertThat(out.position()).isEqualTo(at);
    }
  }

  private static void assertSame(FileInput in, byte[] content, Random random) throws IOException {
    int at = random.nextInt(content.length + 1);
    int room = 1 + random.nextInt(random.nextBoolean() ? 5_000 : 2 * BLOCK);
    boolean isStream = random.nextBoolean();
    ByteBuffer into =
        random.nextBoolean() ? ByteBuffer.allocate(room) : ByteBuffer.allocateDirect(room);
    if (isStream) {
      in.seek(at);
    }
    long before = in.position();
    int count = isStream ? in.read(into) : in.read(at, into);
    assertThat(count).isBetween(at == content.length ? -1 : 1, room);
    assertThat(into.position()).isEqualTo(Math.max(0, count));
    assertThat(in.position()).isEqualTo(isStream ? at + Math.max(0, count) : before);
    if (at < content.length) {
      ByteBuffer mapped = in.map(at);
      assertThat(mapped.remaining()).isEqualTo(Math.min(BLOCK - at % BLOCK, content.length - at));
      assertThat(mapped).isEqualTo(ByteBuffer.wrap(content, at, mapped.remaining()));
    }
    into.flip();
    assertThat(into).isEqualTo(ByteBuffer.wrap(content, at, Math.max(0, count)));
  }

  @Test
  void nobodySeesAFileThatIsNotClosed() throws IOException {
    StoreClient client = client(true);
    FileOutput out = client.create(TestStore.file("/f"));
    out.write(new byte[2 * BLOCK]);
    assertThatThrownBy(() -> client.open("/f"))
        .isInstanceOfSatisfying(
            StoreRefusedException.class,
            refused -> assertThat(refused.reason()).isEqualTo(Refusal.Reason.NOT_COMPLETE));
    out.abandon();
    assertThatThrownBy(() -> client.open("/f")).hasMessageContaining("/f");
    assertThatIOException().isThrownBy(() -> out.write(1)).withMessageContaining("closed");
    awaitBlocks(0);
  }

  @Test
  void whatAWriterThatIsGoneHasWrittenGoes() throws IOException {
    StoreClient gone = client(true);
    gone.create(TestStore.file("/f")).write(new byte[2 * BLOCK]);
    gone.close();
    awaitBlocks(0);
    assertThatThrownBy(() -> client(true).open("/f")).hasMessageContaining("/f");
  }

  private void awaitBlocks(int count) {
    await("blocks that nobody needs go")
        .atMost(Duration.ofSeconds(30))
        .until(() -> counter("blocks") + counter("blocks_writing") == count);
  }

  @Test
  void deletedFilesGiveTheirRoomBack() throws IOException {
    StoreClient client = client(true);
    for (int i = 0; i < 20; i++) {
      write(client, "/d/" + i, new byte[BLOCK / 2]);
    }
    awaitBlocks(20);
    client.namespace().delete("/d", true);
    awaitBlocks(0);
  }

  @Test
  void readersSeeWhatTheyOpenedWhileItIsReplaced(Seed seed) throws IOException {
    Random random = seed.random();
    StoreClient client = client(true);
    byte[] first = content(random, 3 * BLOCK);
    write(client, "/f", first);
    try (FileInput in = client.open("/f")) {
      byte[] beginning = in.readNBytes(10);
      byte[] second = content(random, 3 * BLOCK);
      try (FileOutput out =
          client.create(TestStore.file("/f").toBuilder().setReplace(true).build())) {
        out.write(second);
      }
      assertThat(beginning).isEqualTo(Arrays.copyOf(first, 10));
      assertThat(read(client, "/f")).isEqualTo(second);
    }
  }

  @Test
  void aWorkerThatStartsAgainHasItsBlocks(Seed seed) throws IOException {
    StoreClient client = client(true);
    byte[] content = content(seed.random(), 3 * BLOCK + 5);
    write(client, "/f", content);
    store.stopWorker(1);
    store.startWorker(1);
    assertThat(read(client, "/f")).isEqualTo(content);
    assertThat(read(client(false), "/f")).isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFlippedBitIsFound(boolean local, Seed seed) throws IOException {
    Random random = seed.random();
    StoreClient client = client(local);
    write(client, "/f", content(random, 2 * BLOCK));
    flip(store.memory(1), random.nextInt(BLOCK));
    StoreClient impatient =
        new StoreClient(
            new StoreClientConfig(
                store.masters(),
                Network.SOCKETS,
                Credentials.none(),
                TestStore.ROOT,
                local ? Set.of("localhost") : Set.of(),
                BlockTail.UNIT,
                Duration.ofSeconds(1)));
    try (impatient;
        FileInput in = impatient.open("/f")) {
      assertThatIOException()
          .isThrownBy(in::readAllBytes)
          .withMessageContaining("no worker gives block 0 of f");
      assertThat(counter("blocks_damaged_total")).isOne();
    }
  }

  /** One bit of the first block. */
  private static void flip(Path workerDirectory, int at) throws IOException {
    try (Stream<Path> files = Files.list(workerDirectory.resolve("segments"))) {
      List<Path> first =
          files.filter(file -> file.getFileName().toString().contains("-0@worker")).toList();
      assertThat(first).hasSize(1);
      try (FileChannel file =
          FileChannel.open(first.get(0), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        ByteBuffer one = ByteBuffer.allocate(1);
        file.read(one, at);
        file.write(one.put(0, (byte) (one.get(0) ^ 4)).flip(), at);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "127.0.0.1"})
  void theFirstNameOfItsHostSaysWhichWorkerIsNear(String first) throws IOException {
    store.startWorker(2, "host", "127.0.0.1");
    Set<String> hosts = new LinkedHashSet<>(List.of(first, "another-name", "a-third-one"));
    StoreClient client = store.client(hosts);
    for (int i = 0; i < 4; i++) {
      write(client, "/f" + i, new byte[10]);
      assertThat(client.namespace().open("/f" + i, 1).getWorkersList())
          .map(WorkerAddress::getHost)
          .containsExactly(first);
    }
  }

  @Test
  void positionsOutsideAreRefused() throws IOException {
    StoreClient client = client(true);
    write(client, "/f", new byte[10]);
    try (FileInput in = client.open("/f")) {
      assertThatThrownBy(() -> in.seek(11)).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> in.seek(-1)).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> in.read(-1, ByteBuffer.allocate(1)))
          .isInstanceOf(EOFException.class);
      assertThat(in.read(10, ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(in.skip(100)).isEqualTo(10);
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsOnAfterARest(boolean local, Seed seed) throws IOException {
    StoreClient client = client(local);
    byte[] content = content(seed.random(), 2 * BLOCK + 10);
    write(client, "/f", content);
    try (FileInput in = client.open("/f")) {
      byte[] beginning = in.readNBytes(BLOCK + 100);
      in.rest();
      in.rest();
      assertThat(in.position()).isEqualTo(beginning.length);
      byte[] end = in.readAllBytes();
      assertThat(beginning).isEqualTo(Arrays.copyOf(content, beginning.length));
      assertThat(end).isEqualTo(Arrays.copyOfRange(content, beginning.length, content.length));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatDoesNotFitInMemoryMovesToTheDisk(boolean local, Seed seed) throws IOException {
    String dirs =
        "%s:disktype=MEM:capacity=8m,%s:capacity=100m"
            .formatted(store.memory(2), directory.resolve("disk"));
    store.stopWorker(1);
    store.startWorker(2, "dirs", dirs, "full.deadline", "20s");
    StoreClient client = client(local);
    byte[] content = content(seed.random(), 30 * BLOCK + 7);
    write(client, "/large", content);
    assertThat(read(client, "/large")).isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFullStoreSaysSoInTime(boolean local) throws IOException {
    store.stopWorker(1);
    store.startWorker(
        2, "dirs", store.memory(2) + ":disktype=MEM:capacity=8m", "full.deadline", "500ms");
    StoreClient client = client(local);
    write(client, "/kept", new byte[2 * BLOCK]);
    FileOutput out = client.create(TestStore.file("/large"));
    assertThatThrownBy(() -> out.write(new byte[30 * BLOCK]))
        .satisfies(
            failure ->
                assertThat(List.of(failure.getSuppressed()).toString())
                    .contains("the worker is full of blocks that are nowhere else"));
    assertThatIOException().isThrownBy(out::close).withMessageContaining("was not completed");
    assertThat(read(client, "/kept")).hasSize(2 * BLOCK);
    awaitBlocks2();
    write(client, "/small", new byte[2 * BLOCK]);
  }

  private void awaitBlocks2() {
    await("what was given up goes")
        .atMost(Duration.ofSeconds(30))
        .until(() -> store.metric(2, "blocks") == 2);
  }

  /** The masters count the worker as living still, and name it first. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoseWorkerHasJustDiedWritesToAnotherOne(boolean local, Seed seed) throws IOException {
    store.close();
    store =
        new TestStore(
            Files.createDirectory(directory.resolve("slow")),
            Map.of("authentication", "none"),
            Map.of("worker.lease", "1h"));
    store.startWorker(1);
    StoreClient client = client(local);
    for (int i = 0; i < 3; i++) { // the next file is announced, and its block begun ahead
      write(client, "/before" + i, new byte[10]);
    }
    store.startWorker(2);
    store.stopWorker(1);
    byte[] content = content(seed.random(), 2 * BLOCK + 5);
    for (int i = 0; i < 3; i++) {
      write(client, "/after" + i, content);
      assertThat(read(client, "/after" + i)).isEqualTo(content);
      assertThat(client.namespace().open("/after" + i, 1).getWorkersList())
          .map(at -> at.getHost() + ":" + at.getPort())
          .containsExactly(store.address(2));
    }
  }

  @Test
  void withoutAWorkerNothingIsWritten() throws IOException {
    store.stopWorker(1);
    await("the worker is gone")
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                client(true)
                        .namespace()
                        .create(TestStore.file("/x" + System.nanoTime()))
                        .getWorkersCount()
                    == 0);
    StoreClientConfig hasty =
        Configs.of(store.masters(), Credentials.none(), TestStore.ROOT).with(Duration.ofSeconds(1));
    FileOutput out = store.client(hasty).create(TestStore.file("/f"));
    assertThatIOException()
        .isThrownBy(() -> out.write(new byte[2 * BLOCK]))
        .withMessageContaining("no worker takes a block of f");
  }
}

package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.WorkerConnections;
import dev.sailfish.lineage.protocol.FileChecksum;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file is begun, and then none of the workers that were named for it takes a block. */
@Seeded
@Timeout(120)
class OtherWorkersTest {
  private static final int BLOCK = TestStore.BLOCK;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final AtomicInteger waits = new AtomicInteger();
  private BlockAccess access;
  private TestStore store;

  /** Counts the waits for a worker. */
  private final Network network =
      new Network() {
        @Override
        public void pause(long untilNs, String what) throws InterruptedIOException {
          waits.addAndGet(what.startsWith("a worker that takes a block") ? 1 : 0);
          super.pause(untilNs, what);
        }
      };

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    store.startWorker(1);
    access = new BlockAccess(connections(), connections(), Set.of()); // as a client on another host
  }

  private static WorkerConnections connections() {
    return new WorkerConnections(Network.SOCKETS, "test", Credentials.none(), DEADLINE);
  }

  @AfterEach
  void stop() throws IOException {
    thread.shutdownNow();
    access.close();
    store.close();
  }

  private StoreClient client(boolean local, Duration patience) {
    return store.client(
        new StoreClientConfig(
            store.masters(),
            network,
            Credentials.none(),
            TestStore.ROOT,
            local ? Set.of("localhost") : Set.of(),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            patience));
  }

  private static byte[] content(Seed seed, int length) {
    byte[] content = new byte[length];
    new Random(seed.random().nextLong()).nextBytes(content);
    return content;
  }

  private static void write(StoreClient client, String path, byte[] content) throws IOException {
    try (FileOutput out = client.create(TestStore.file(path))) {
      out.write(content);
    }
  }

  private byte[] read(String path) throws IOException {
    try (FileInput in = store.client().open(path)) {
      return in.readAllBytes();
    }
  }

  /** The ports of the workers that have some block of a file. */
  private int[] ports(String path) throws IOException {
    OpenFileResponse opened = store.client().namespace().open(path, 0);
    return opened.getWorkersList().stream().mapToInt(WorkerAddress::getPort).sorted().toArray();
  }

  private int port(int worker) {
    String address = store.address(worker);
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  private static ConditionFactory within(String what) {
    return await(what).atMost(DEADLINE);
  }

  /** Has a worker drained, and waits until it knows. */
  private void drain(int worker) throws IOException {
    try (StoreAdmin admin = store.admin()) {
      admin.drain(store.address(worker), true);
    }
    WorkerAddress at =
        WorkerAddress.newBuilder().setHost("localhost").setPort(port(worker)).build();
    within("it takes no block").until(() -> isDraining(at));
  }

  private boolean isDraining(WorkerAddress worker) throws IOException {
    BlockName name = BlockName.newBuilder().setFid(1L << 40).build();
    try {
      access.begin(worker, name, BLOCK, BLOCK, new FileChecksum()).close();
      return false;
    } catch (RemoteException e) {
      assertThat(e.status()).isEqualTo(Status.DRAINING);
      return true;
    }
  }

  private Future<?> inBackground(FileOutput out, byte[] content) {
    return thread.submit(
        () -> {
          out.write(content);
          out.close();
          return null;
        });
  }

  private void awaitWait() {
    within("its writer waits for a worker").until(() -> waits.get() > 0);
  }

  private static void get(Future<?> written) throws Exception {
    written.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theOnlyWorkerDrainsBeforeTheFirstBlock(boolean local, Seed seed) throws Exception {
    byte[] content = content(seed, 2 * BLOCK + 5);
    FileOutput out = client(local, DEADLINE).create(TestStore.file("/f"));
    drain(1);
    Future<?> written = inBackground(out, content);
    awaitWait();
    store.startWorker(2);
    get(written);
    assertThat(read("/f")).isEqualTo(content);
    assertThat(ports("/f")).containsExactly(port(2));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theOnlyWorkerDrainsBetweenTwoBlocks(boolean local, Seed seed) throws Exception {
    byte[] content = content(seed, 2 * BLOCK + 5);
    FileOutput out = client(local, DEADLINE).create(TestStore.file("/f"));
    out.write(Arrays.copyOf(content, BLOCK));
    drain(1);
    Future<?> written = inBackground(out, Arrays.copyOfRange(content, BLOCK, content.length));
    awaitWait();
    store.startWorker(2);
    get(written);
    assertThat(read("/f")).isEqualTo(content);
    assertThat(ports("/f")).containsExactlyInAnyOrder(port(1), port(2));
  }

  @Test
  void theOnlyWorkerIsStartedAgain(Seed seed) throws Exception {
    byte[] content = content(seed, BLOCK + 5);
    FileOutput out = client(true, DEADLINE).create(TestStore.file("/f"));
    drain(1);
    Future<?> written = inBackground(out, content);
    awaitWait();
    store.stopWorker(1);
    store.startWorker(1);
    get(written);
    assertThat(read("/f")).isEqualTo(content);
  }

  @Test
  void theOnlyWorkerIsDead(Seed seed) throws Exception {
    byte[] content = content(seed, BLOCK + 5);
    FileOutput out = client(true, DEADLINE).create(TestStore.file("/f"));
    store.stopWorker(1);
    Future<?> written = inBackground(out, content);
    awaitWait();
    store.startWorker(2);
    get(written);
    assertThat(read("/f")).isEqualTo(content);
    assertThat(ports("/f")).containsExactly(port(2));
  }

  @Test
  void theOnlyWorkerIsFullAndAnotherOneHasCome(Seed seed) throws Exception {
    store.stopWorker(1);
    store.startWorker(
        2, "dirs", store.memory(2) + ":disktype=MEM:capacity=4m", "full.deadline", "100ms");
    StoreClient client = client(false, DEADLINE);
    byte[] content = content(seed, 8 * BLOCK);
    FileOutput out = client.create(TestStore.file("/f"));
    out.write(Arrays.copyOf(content, BLOCK));
    store.startWorker(3);
    out.write(content, BLOCK, content.length - BLOCK);
    out.close();
    assertThat(read("/f")).isEqualTo(content);
    assertThat(ports("/f")).containsExactlyInAnyOrder(port(2), port(3));
    assertThat(waits).hasValue(0);
  }

  /** The leader knew the file, and no journal has it. */
  @Test
  void theNextLeaderNamesWorkersForAnAnnouncedFile(Seed seed) throws Exception {
    StoreClient client = client(false, DEADLINE);
    for (int i = 0; i < 3; i++) {
      write(client, "/before-" + i, new byte[10]);
    }
    byte[] content = content(seed, BLOCK + 5);
    FileOutput out = client.create(TestStore.file("/f"));
    store.restartMaster();
    within("the worker is known again")
        .until(() -> client.namespace().create(TestStore.file("/g")).getWorkersCount() > 0);
    drain(1);
    Future<?> written = inBackground(out, content);
    awaitWait();
    store.startWorker(2);
    get(written);
    assertThat(read("/f")).isEqualTo(content);
    assertThat(ports("/f")).containsExactly(port(2));
    assertThat(store.client().namespace().stat("/f").getFid()).isEqualTo(out.fid());
  }

  @Test
  void whoHasTheNameUnderTheNextLeaderKeepsIt() throws IOException {
    StoreClient client = client(false, DEADLINE);
    for (int i = 0; i < 3; i++) {
      write(client, "/before-" + i, new byte[10]);
    }
    FileOutput out = client.create(TestStore.file("/f"));
    store.restartMaster();
    store.client().namespace().createEmpty(TestStore.file("/f"));
    drain(1);
    assertRefused(Refusal.Reason.EXISTS, out);
    assertThat(store.client().namespace().stat("/f").getLength()).isZero();
  }

  @Test
  void inTimeTheWriterIsToldWhatWorkersHaveSaid() throws IOException {
    FileOutput out = client(false, Duration.ofSeconds(3)).create(TestStore.file("/f"));
    drain(1);
    assertThatThrownBy(() -> out.write(new byte[2 * BLOCK]))
        .hasMessageContaining("no worker takes a block of f: do workers run, and have they room?")
        .hasMessageContaining("the worker is being drained and takes no new blocks")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(waits.get()).isPositive();
    assertThatThrownBy(out::close).hasMessageContaining("was not completed: name=f");
  }

  @Test
  void aFileThatIsDeletedMeanwhileIsNotWaitedFor() throws Exception {
    FileOutput out = client(false, DEADLINE).create(TestStore.file("/f"));
    drain(1);
    store.client().namespace().delete("/f", false);
    assertRefused(Refusal.Reason.NOT_FOUND, out);
  }

  private static void assertRefused(Refusal.Reason reason, FileOutput out) {
    assertThatThrownBy(() -> out.write(new byte[2 * BLOCK]))
        .isInstanceOfSatisfying(
            StoreRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .satisfies(
            e ->
                assertThat(Arrays.toString(e.getSuppressed()))
                    .contains("the worker is being drained"));
    out.abandon();
  }

  @Test
  void theMasterNamesThoseThatAreLeft() throws IOException {
    store.startWorker(2);
    store.startWorker(3);
    NamespaceClient namespace = store.client(Set.of()).namespace();
    long fid = namespace.create(TestStore.file("/f")).getEntry().getFid();
    assertThat(namespace.grantWriting(fid, Set.of()).getWorkersList())
        .extracting(WorkerAddress::getNumber)
        .containsExactlyInAnyOrder(1, 2, 3);
    assertThat(namespace.grantWriting(fid, Set.of(2)).getWorkersList())
        .extracting(WorkerAddress::getNumber)
        .containsExactlyInAnyOrder(1, 3);
    drain(1);
    assertThat(namespace.grantWriting(fid, Set.of(2, 77)).getWorkersList())
        .extracting(WorkerAddress::getNumber)
        .containsExactly(3);
    assertThat(namespace.grantWriting(fid, Set.of(2, 3)).getWorkersList()).isEmpty();
  }
}

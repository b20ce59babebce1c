package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.client.lost.LostFiles;
import dev.sailfish.lineage.client.lost.LostFiles.Waiting;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.FileCondition;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers of files that real workers have lost. */
@Seeded
@Timeout(180)
class LostReaderTest {
  private static final int LENGTH = 2 * TestStore.BLOCK + 12_345;
  private static final String APPLICATION = "application_1700000000000_0001";

  @TempDir private Path directory;
  private final ExecutorService readers = Executors.newCachedThreadPool();
  private final Queue<Waiting> told = new ConcurrentLinkedQueue<>();
  private final List<StoreClient> clients = new ArrayList<>();
  private TestStore store;
  private Lineage lineage;
  private byte[] content;
  private long out;

  @BeforeEach
  void start(Seed seed) throws IOException {
    store = new TestStore(directory);
    store.startWorker(1);
    lineage = store.client().lineage();
    content = new byte[LENGTH];
    seed.random().nextBytes(content);
    out = write("/out");
    Path jar = Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3});
    lineage.create(
        CreateDependency.newBuilder()
            .setType(DependencyType.DEPENDENCY_WIDE)
            .addPrograms(lineage.upload(jar))
            .addOutputs(DependencyOutput.newBuilder().setFid(out))
            .build());
  }

  @AfterEach
  void stop() throws IOException {
    readers.shutdownNow();
    clients.forEach(StoreClient::close);
    store.close();
  }

  private long write(String path) throws IOException {
    FileOutput file = store.client().create(TestStore.file(path));
    try (file) {
      file.write(content);
    }
    return file.fid();
  }

  /** A client elsewhere, which keeps nothing of what it has read. */
  private StoreClient reader(Duration longest) {
    StoreClientConfig config =
        Configs.of(store.masters(), Credentials.none(), TestStore.ROOT, Set.of());
    StoreClient client =
        new StoreClient(config.with(new LostFiles(longest, APPLICATION, told::add)));
    clients.add(client);
    return client;
  }

  private Future<byte[]> read(StoreClient client, String path) {
    Callable<byte[]> work =
        () -> {
          try (FileInput in = client.open(path)) {
            return in.readAllBytes();
          }
        };
    return readers.submit(work);
  }

  private List<LostFile> lost() throws IOException {
    List<LostFile> all = new ArrayList<>();
    lineage.lost(all::add);
    return all;
  }

  private void awaitWaiting() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> lost().size() == 1 && lost().get(0).getWaitingCount() > 0);
  }

  private void recompute() throws IOException {
    try (FileOutput again = lineage.recompute(out)) {
      again.write(content);
    }
  }

  private static byte[] result(Future<byte[]> reading) throws Exception {
    return reading.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aReaderWaitsAndGoesOnWhenTheFileIsThereAgain() throws Exception {
    store.stopWorker(1);
    store.startWorker(2);
    Future<byte[]> first = read(reader(Duration.ofMinutes(10)), "/out");
    Future<byte[]> second = read(reader(Duration.ofMinutes(10)), "/out");
    awaitWaiting();
    assertThat(lost().get(0).getWaitingList()).containsExactly(APPLICATION);
    assertThat(lost().get(0).getWaitingUsersList()).containsExactly(TestStore.ROOT.getName());
    lineage.report(lost().get(0).getDependency(), "2 of 5 tasks");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> told.stream().anyMatch(one -> one.progress().equals("2 of 5 tasks")));
    FileCondition listed =
        store.client().namespace().listConditions("/out", "").getConditionsList().get(0);
    assertThat(listed.getState()).isEqualTo(OutputState.OUTPUT_LOST);
    assertThat(listed.getProgress()).isEqualTo("2 of 5 tasks");
    recompute();
    assertThat(result(first)).isEqualTo(content);
    assertThat(result(second)).isEqualTo(content);
    await().atMost(Duration.ofSeconds(30)).until(() -> lost().isEmpty());
  }

  @Test
  void inTheMiddleOfAFileToo() throws Exception {
    FileInput in = reader(Duration.ofMinutes(10)).open("/out");
    byte[] start = in.readNBytes(TestStore.BLOCK + 1);
    store.stopWorker(1);
    store.startWorker(2);
    Future<byte[]> rest = readers.submit(in::readAllBytes);
    awaitWaiting();
    recompute();
    assertThat(start).isEqualTo(Arrays.copyOf(content, TestStore.BLOCK + 1));
    assertThat(result(rest)).isEqualTo(Arrays.copyOfRange(content, start.length, LENGTH));
    in.close();
  }

  @Test
  void theWorkerMayComeBackWithIt() throws Exception {
    store.stopWorker(1);
    Future<byte[]> reading = read(reader(Duration.ofMinutes(10)), "/out");
    awaitWaiting();
    lineage.giveUp(out, "no program");
    store.startWorker(1);
    // Refused, or back before it was asked again.
    await().atMost(Duration.ofSeconds(60)).until(reading::isDone);
    await().atMost(Duration.ofSeconds(60)).until(() -> lost().isEmpty());
    assertThat(result(read(reader(Duration.ofMinutes(10)), "/out"))).isEqualTo(content);
  }

  @Test
  void whatIsGivenUpIsToldAtOnce() throws Exception {
    store.stopWorker(1);
    store.startWorker(2);
    Future<byte[]> reading = read(reader(Duration.ofMinutes(10)), "/out");
    awaitWaiting();
    lineage.giveUp(out, "its input /in was deleted");
    assertLost(reading);
    assertLost(read(reader(Duration.ofMinutes(10)), "/out"));
    assertThat(lost().get(0).getGivenUp()).isEqualTo("its input /in was deleted");
    assertThat(lost().get(0).getOutput().getState()).isEqualTo(OutputState.OUTPUT_LOST);
    try (StoreAdmin admin = store.admin()) {
      assertThat(admin.report().getUnhealthyList())
          .anyMatch(text -> text.contains("1 lost files cannot be recomputed"));
    }
    lineage.giveUp(out, "");
    Future<byte[]> again = read(reader(Duration.ofMinutes(10)), "/out");
    awaitWaiting();
    recompute();
    assertThat(result(again)).isEqualTo(content);
  }

  private static void assertLost(Future<byte[]> reading) {
    assertThatThrownBy(() -> result(reading))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("/out")
        .hasMessageContaining("its input /in was deleted");
  }

  @Test
  void theWaitEndsWithASentence() throws Exception {
    store.stopWorker(1);
    store.startWorker(2);
    assertThatThrownBy(() -> result(read(reader(Duration.ofSeconds(2)), "/out")))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("out (fid=")
        .hasMessageContaining("dependency=1")
        .hasMessageContaining("no recompute has begun");
  }

  @Test
  void onlyFilesWithARecordAreWaitedFor() throws Exception {
    long plain = write("/plain");
    assertThatThrownBy(() -> lineage.want(plain, ""))
        .isInstanceOfSatisfying(
            StoreRefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(Refusal.Reason.NOT_FOUND));
    assertThat(lineage.want(out, "").getState()).isEqualTo(OutputState.OUTPUT_STORED);
    assertThat(lost()).isEmpty();
  }

  @Test
  void onlyTheOwnerReportsAndGivesUp() throws Exception {
    Lineage other = store.client("bob").lineage();
    assertThatThrownBy(() -> other.report(1, "lies")).hasMessageContaining("is of root");
    assertThatThrownBy(() -> other.giveUp(out, "lies")).hasMessageContaining("is of root");
    assertThatThrownBy(() -> lineage.report(99, "x")).hasMessageContaining("no dependency=99");
  }
}

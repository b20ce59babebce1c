package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.OutsideInput;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lineage records at a real master, and files that real workers lose. */
@Seeded
@Timeout(180)
class LineageClientTest {
  private static final int LENGTH = 2 * TestStore.BLOCK + 12_345;

  @TempDir private Path directory;
  private TestStore store;
  private StoreClient client;
  private Lineage lineage;
  private byte[] content;

  @BeforeEach
  void start(Seed seed) throws IOException {
    store = new TestStore(directory);
    store.startWorker(1);
    client = store.client();
    lineage = client.lineage();
    content = new byte[LENGTH];
    seed.random().nextBytes(content);
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private long write(StoreClient by, String path) throws IOException {
    FileOutput out = by.create(TestStore.file(path));
    try (out) {
      out.write(content);
    }
    return out.fid();
  }

  private CreateDependency.Builder dependency(StoreClient by, long... outputs) throws IOException {
    Path jar = Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3});
    CreateDependency.Builder asked =
        CreateDependency.newBuilder()
            .setType(DependencyType.DEPENDENCY_WIDE)
            .addPrograms(by.lineage().upload(jar))
            .setConfig(ByteString.copyFromUtf8("key=value"));
    for (int i = 0; i < outputs.length; i++) {
      asked.addOutputs(DependencyOutput.newBuilder().setFid(outputs[i]).setIndex(i));
    }
    return asked;
  }

  private List<LostFile> lost() throws IOException {
    List<LostFile> all = new ArrayList<>();
    lineage.lost(all::add);
    return all;
  }

  private void awaitLost(int count) {
    await().atMost(Duration.ofSeconds(60)).until(() -> lost().size() == count);
  }

  private byte[] read(String path) throws IOException {
    try (FileInput in = client.open(path)) {
      return in.readAllBytes();
    }
  }

  @Test
  void aRecordIsWhatWasAskedFor() throws IOException {
    long in = write(client, "/in");
    long out = write(client, "/out");
    OutsideInput outside =
        OutsideInput.newBuilder().setUri("hdfs://h/x").setLength(4).setModifiedMs(5).build();
    CreateDependency asked =
        dependency(client, out)
            .addInputs(DependencyInput.newBuilder().setFid(in))
            .addInputs(DependencyInput.newBuilder().setOutside(outside))
            .build();
    long id = lineage.create(asked);
    DependencyRecord record = lineage.get(id);
    assertThat(record).isEqualTo(lineage.of(out));
    assertThat(record.getOwner()).isEqualTo("root");
    assertThat(record.getInputsList()).isEqualTo(asked.getInputsList());
    assertThat(record.getProgramsList()).isEqualTo(asked.getProgramsList());
    assertThat(record.getConfig()).isEqualTo(asked.getConfig());
    assertThat(record.getOutputs(0).getState()).isEqualTo(OutputState.OUTPUT_STORED);
    assertThat(record.getOutputs(0).getLength()).isEqualTo(LENGTH);
    assertThat(record.getOutputs(0).hasChecksum()).isTrue();
    List<Long> readers = new ArrayList<>();
    lineage.readersOf(in, reader -> readers.add(reader.getId()));
    assertThat(readers).containsExactly(id);
    ByteArrayOutputStream program = new ByteArrayOutputStream();
    lineage.fetch("root", record.getPrograms(0), program);
    assertThat(program.toByteArray()).containsExactly(1, 2, 3);
  }

  @Test
  void theSameChecksumOverTheNetworkAndInBlocksOfAnySize() throws IOException {
    long near = write(client, "/near");
    StoreClient remote = store.client(Set.of("elsewhere"));
    FileOutput out = remote.create(TestStore.file("/far").toBuilder().setBlockSizeLog(16).build());
    try (out) {
      for (int at = 0; at < LENGTH; at += 1_000) {
        out.write(content, at, Math.min(1_000, LENGTH - at));
      }
    }
    lineage.create(dependency(client, near, out.fid()).build());
    DependencyRecord record = lineage.of(near);
    assertThat(record.getOutputs(0).getChecksum()).isEqualTo(record.getOutputs(1).getChecksum());
  }

  @Test
  void whatIsOthersIsNotShown() throws IOException {
    client.namespace().setMode("/", 0777);
    StoreClient alice = store.client("alice");
    StoreClient bob = store.client("bob");
    long out = write(alice, "/out");
    ProgramFile program = dependency(alice, out).getPrograms(0);
    long id = alice.lineage().create(dependency(alice, out).build());
    assertRefused(Refusal.Reason.DENIED, () -> bob.lineage().get(id));
    assertRefused(
        Refusal.Reason.DENIED,
        () -> bob.lineage().fetch("alice", program, new ByteArrayOutputStream()));
    List<DependencyRecord> seen = new ArrayList<>();
    bob.lineage().list(seen::add);
    assertThat(seen).isEmpty();
    lineage.list(seen::add);
    alice.lineage().list(seen::add);
    assertThat(seen).extracting(DependencyRecord::getId).containsExactly(id, id);
  }

  private interface Call {
    void run() throws IOException;
  }

  private static void assertRefused(Refusal.Reason reason, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StoreRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void aLostFileIsWrittenAgainUnderItsId() throws IOException {
    long out = write(client, "/out");
    lineage.create(dependency(client, out).build());
    store.stopWorker(1);
    store.startWorker(2);
    awaitLost(1);
    assertThat(lost().get(0).getOutput().getState()).isEqualTo(OutputState.OUTPUT_LOST);
    try (FileOutput again = lineage.recompute(out)) {
      assertThat(again.fid()).isEqualTo(out);
      assertRefused(Refusal.Reason.NOT_WRITING, () -> store.client().lineage().recompute(out));
      again.write(content);
    }
    assertThat(lost()).isEmpty();
    assertThat(read("/out")).isEqualTo(content);
    assertThat(client.namespace().stat("/out").getFid()).isEqualTo(out);
  }

  @Test
  void otherBytesAreRefusedLoudly() throws IOException {
    long out = write(client, "/out");
    long id = lineage.create(dependency(client, out).build());
    store.stopWorker(1);
    store.startWorker(2);
    awaitLost(1);
    byte[] other = Arrays.copyOf(content, LENGTH);
    other[LENGTH / 2] ^= 1;
    FileOutput again = lineage.recompute(out);
    again.write(other);
    assertRefused(Refusal.Reason.DIFFERENT, again::close);
    assertThat(lineage.get(id).getNondeterministic()).isTrue();
    assertThat(lost().get(0).getOutput().getState()).isEqualTo(OutputState.OUTPUT_INTERRUPTED);
    try (StoreAdmin admin = store.admin()) {
      assertThat(admin.report().getUnhealthyList())
          .anyMatch(text -> text.contains("do not give the same bytes"));
    }
  }

  @Test
  void anotherAttemptTakesThePlaceOfWhatOneHasLeft() throws IOException {
    long out = write(client, "/out");
    lineage.create(dependency(client, out).build());
    store.stopWorker(1);
    store.startWorker(2);
    awaitLost(1);
    StoreClient dying = store.client();
    FileOutput unfinished = dying.lineage().recompute(out);
    unfinished.write(Arrays.copyOf(content, TestStore.BLOCK + 1));
    unfinished.write(new byte[LENGTH - TestStore.BLOCK]); // sealed, and wrong, at the only worker
    dying.close();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> lost().get(0).getOutput().getState() == OutputState.OUTPUT_INTERRUPTED);
    try (FileOutput again = lineage.recompute(out)) {
      again.write(content);
    }
    store.stopWorker(2);
    store.startWorker(2);
    assertThat(read("/out")).isEqualTo(content);
  }

  private long makeOf(String path, long... inputs) throws IOException {
    long fid = write(client, path);
    CreateDependency.Builder asked = dependency(client, fid);
    for (long input : inputs) {
      asked.addInputs(DependencyInput.newBuilder().setFid(input));
    }
    lineage.create(asked.build());
    return fid;
  }

  private OutputState state(long fid) throws IOException {
    return lineage.of(fid).getOutputs(0).getState();
  }

  private void remake(long fid) throws IOException {
    try (FileOutput again = lineage.recompute(fid)) {
      assertThat(again.fid()).isEqualTo(fid);
      again.write(content);
    }
  }

  @Test
  void deletedFilesAreMadeAgainForALostOne() throws IOException {
    long first = makeOf("/first");
    long second = makeOf("/second", first);
    long third = makeOf("/third", second);
    client.namespace().delete("/first", false);
    client.namespace().delete("/second", false);
    assertRefused(Refusal.Reason.INVALID, () -> lineage.recompute(first));
    store.stopWorker(1);
    store.startWorker(2);
    awaitLost(1);
    FileOutput begun = lineage.recompute(first);
    assertRefused(Refusal.Reason.NOT_COMPLETE, () -> client.namespace().locate(first, 0, 1));
    begun.abandon();
    assertThat(state(first)).isEqualTo(OutputState.OUTPUT_REVIVING);
    remake(first);
    assertThat(state(first)).isEqualTo(OutputState.OUTPUT_REVIVED);
    store.stopWorker(2);
    store.startWorker(3);
    await().atMost(Duration.ofSeconds(60)).until(() -> state(first) == OutputState.OUTPUT_REVIVING);
    remake(first);
    String hidden = "/.lineage/deleted/" + client.namespace().stat(first).getName();
    assertThat(read(hidden)).isEqualTo(content);
    assertThat(client.namespace().locate(first, 0, 10).getBlocksCount()).isEqualTo(3);
    remake(second);
    remake(third);
    assertThat(lost()).isEmpty();
    assertThat(read("/third")).isEqualTo(content);
    assertThat(state(first)).isEqualTo(OutputState.OUTPUT_DELETED);
    assertThat(state(second)).isEqualTo(OutputState.OUTPUT_DELETED);
    await("their blocks are gone")
        .atMost(Duration.ofSeconds(60))
        .until(() -> store.metric(3, "blocks") == 3);
  }

  @Test
  void aProgramOutlivesOneOfTwoWorkers() throws IOException {
    store.startWorker(2);
    ProgramFile program = dependency(client).getPrograms(0);
    store.stopWorker(1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    store.client().lineage().fetch("root", program, bytes);
    assertThat(bytes.toByteArray()).containsExactly(1, 2, 3);
    store.startWorker(1);
    store.stopWorker(2);
    bytes.reset();
    store.client().lineage().fetch("root", program, bytes);
    assertThat(bytes.toByteArray()).containsExactly(1, 2, 3);
  }

  @Test
  void clientsThatUploadOneProgramAtOnceAllHaveIt() throws Exception {
    Path program = Files.write(directory.resolve("job.jar"), content);
    int count = 8;
    List<StoreClient> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(store.client());
    }
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Future<ProgramFile>> uploads = new ArrayList<>();
      for (StoreClient each : clients) {
        uploads.add(threads.submit(() -> each.lineage().upload(program)));
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (Future<ProgramFile> upload : uploads) {
        bytes.reset();
        lineage.fetch("root", upload.get(60, TimeUnit.SECONDS), bytes);
        assertThat(bytes.toByteArray()).isEqualTo(content);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aProgramThatOneWorkerIsLeftWithIsCopiedOnceMore() throws IOException {
    store.startWorker(2);
    long out = write(client, "/out");
    CreateDependency record = dependency(client, out).build();
    lineage.create(record);
    ProgramFile program = record.getPrograms(0);
    String hash = HexFormat.of().formatHex(program.getSha256().toByteArray());
    long fid = client.namespace().stat("/.lineage/programs/root/" + hash).getFid();
    store.stopWorker(1);
    store.startWorker(3);
    await("the new worker has a copy")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                client.namespace().locate(fid, 0, 1).getWorkersList().stream()
                    .anyMatch(at -> store.address(3).equals(at.getHost() + ":" + at.getPort())));
    store.stopWorker(2);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    store.client().lineage().fetch("root", program, bytes);
    assertThat(bytes.toByteArray()).containsExactly(1, 2, 3);
  }

  /** One that is compared is read, in the worker's files. */
  @Test
  void aLargeProgramIsHashedUnlessOneOfItsBytesIsStored(Seed seed) throws Exception {
    byte[] bytes = new byte[(int) LineageService.LARGE_PROGRAM + 12_345];
    seed.random().nextBytes(bytes);
    long before = store.metric(1, "blocks_shared_total");
    ByteString hash = upload(client, bytes);
    assertThat(store.metric(1, "blocks_shared_total")).isEqualTo(before);
    assertThat(upload(store.client(), bytes)).isEqualTo(hash);
    assertThat(store.metric(1, "blocks_shared_total")).isEqualTo(before + 1);

    for (int at : new int[] {0, bytes.length / 2, bytes.length - 1}) {
      bytes[at] ^= 1;
      upload(client, bytes);
      upload(store.client(Set.of()), bytes); // over the network
    }
    upload(client, Arrays.copyOf(bytes, bytes.length - 1));
    upload(client, Arrays.copyOf(bytes, bytes.length + 1));
  }

  private ByteString upload(StoreClient by, byte[] bytes) throws Exception {
    Path file = Files.write(directory.resolve("large.jar"), bytes);
    ProgramFile program = by.lineage().upload(file);
    ByteString hash = ByteString.copyFrom(MessageDigest.getInstance("SHA-256").digest(bytes));
    assertThat(program.getSha256()).isEqualTo(hash);
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    store.client(Set.of()).lineage().fetch("root", program, stored);
    assertThat(stored.toByteArray()).isEqualTo(bytes);
    return hash;
  }

  @Test
  void aProgramThatIsLostIsStoredAgain(Seed seed) throws Exception {
    byte[] bytes = new byte[(int) LineageService.LARGE_PROGRAM];
    seed.random().nextBytes(bytes);
    ByteString hash = upload(client, bytes);
    store.startWorker(2);
    store.stopWorker(1);
    String path = "/.lineage/programs/root/" + HexFormat.of().formatHex(hash.toByteArray());
    await("the masters know that the worker is gone")
        .atMost(Duration.ofSeconds(60))
        .until(() -> client.namespace().open(path, 1).getWorkersCount() == 0);
    assertThat(upload(client, bytes)).isEqualTo(hash);
  }

  @Test
  void whatIsTooLargeIsRefusedByItsKey() throws IOException {
    long out = write(client, "/out");
    CreateDependency large =
        dependency(client, out).setConfig(ByteString.copyFrom(new byte[65_537])).build();
    assertThatThrownBy(() -> lineage.create(large))
        .hasMessageContaining("sailfish.lineage.master.lineage.config");
  }

  /** The masters' snapshots have no room for them. */
  @Test
  void textsThatAreTooLongAreRefused() throws IOException {
    long out = write(client, "/out");
    String text = "x".repeat(16_385);
    DependencyInput input =
        DependencyInput.newBuilder().setOutside(OutsideInput.newBuilder().setUri(text)).build();
    assertThatThrownBy(() -> lineage.create(dependency(client, out).addInputs(input).build()))
        .hasMessageContaining("the URI of an input has at most 16384 characters, not 16385");
    ProgramFile program = ProgramFile.newBuilder().setName(text).build();
    assertThatThrownBy(() -> lineage.create(dependency(client, out).addPrograms(program).build()))
        .hasMessageContaining("the name of a program's file has at most 16384 characters");
    assertThat(lineage.create(dependency(client, out).build())).isPositive();
  }
}

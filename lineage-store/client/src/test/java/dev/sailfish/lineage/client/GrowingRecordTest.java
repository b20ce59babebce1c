package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job's files become outputs of its record as they are created, however they are written. */
@Timeout(120)
class GrowingRecordTest {
  @TempDir private Path directory;
  private TestStore store;
  private StoreClient client;
  private Lineage lineage;
  private long id;

  private void start(Map<String, String> ofMaster) throws IOException {
    store = new TestStore(directory, Map.of("authentication", "none"), ofMaster);
    store.startWorker(1);
    client = store.client();
    lineage = client.lineage();
    id = lineage.create(job("job_1"));
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private CreateDependency job(String name) throws IOException {
    Path jar = Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3});
    return CreateDependency.newBuilder()
        .setType(DependencyType.DEPENDENCY_WIDE)
        .addPrograms(lineage.upload(jar))
        .setName(name)
        .setGrowing(true)
        .build();
  }

  private CreateFile output(String path, int part) {
    return TestStore.file(path).toBuilder()
        .setDependency(id)
        .setOutput(DependencyOutput.newBuilder().setIndex(part).setMap(true).setFile(2))
        .build();
  }

  private static void assertRefused(Refusal.Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StoreRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  /** The first ones are begun by changes; later ones are announced, and one change makes them. */
  @Test
  void filesAreOutputsWhenTheyAreClosed() throws IOException {
    start(Map.of());
    int[] lengths = {0, 1, TestStore.BLOCK, 2 * TestStore.BLOCK + 1};
    List<Long> fids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int length = lengths[i % lengths.length];
      FileOutput out = client.create(output("/d/f" + i, i));
      try (out) {
        out.write(new byte[length]);
      }
      fids.add(out.fid());
      DependencyRecord record = lineage.find("job_1").orElseThrow();
      assertThat(record.getOutputsCount()).isEqualTo(i + 1);
      DependencyOutput last = record.getOutputs(i);
      assertThat(last.getFid()).isEqualTo(out.fid());
      assertThat(last.getIndex()).isEqualTo(i);
      assertThat(last.getMap()).isTrue();
      assertThat(last.getFile()).isEqualTo(2);
      assertThat(last.getState()).isEqualTo(OutputState.OUTPUT_STORED);
      assertThat(last.getLength()).isEqualTo(length);
      assertThat(last.hasChecksum()).isTrue();
    }
    assertThat(fids).doesNotHaveDuplicates();
    FileEntry empty = client.namespace().createEmpty(output("/d/empty", 20));
    assertThat(lineage.of(empty.getFid()).getId()).isEqualTo(id);
  }

  @Test
  void filesThatAreBegunAheadAreOutputs() throws IOException {
    start(Map.of());
    List<CompletableFuture<FileOutput>> begun = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      begun.add(client.createAsync(output("/d/f" + i, i)));
    }
    List<CompletableFuture<FileEntry>> ended = new ArrayList<>();
    for (CompletableFuture<FileOutput> one : begun) {
      FileOutput out = one.join();
      out.write(1);
      ended.add(out.closeAsync());
    }
    List<Long> fids = ended.stream().map(entry -> entry.join().getFid()).toList();
    assertThat(lineage.get(id).getOutputsList())
        .extracting(DependencyOutput::getFid)
        .containsExactlyInAnyOrderElementsOf(fids);
    assertThat(lineage.get(id).getOutputsList())
        .allMatch(output -> output.getState() == OutputState.OUTPUT_STORED);
  }

  @Test
  void anAnnouncedFileIsAnOutputOnceSomebodyAsksForIt() throws IOException {
    start(Map.of());
    for (int i = 0; i < 3; i++) {
      client.create(TestStore.file("/d/before-" + i)).close();
    }
    FileOutput out = client.create(output("/d/f", 7));
    store.client().namespace().stat("/d/f");
    assertThat(lineage.of(out.fid()).getOutputs(0).getState())
        .isEqualTo(OutputState.OUTPUT_PENDING);
    FileOutput abandoned = client.create(output("/d/g", 8));
    abandoned.abandon();
    lineage.seal(id);
    out.close();
    assertThat(lineage.get(id).getOutputs(0).getState()).isEqualTo(OutputState.OUTPUT_STORED);
    assertRefused(Refusal.Reason.INVALID, () -> client.create(output("/d/late", 9)));
  }

  @Test
  void aNameIsFoundByItsOwnerAlone() throws IOException {
    start(Map.of());
    assertThat(lineage.create(job("job_1"))).isEqualTo(id);
    assertThat(lineage.find("job_2")).isEmpty();
    DependencyRecord brief = lineage.findBrief("job_1").orElseThrow();
    assertThat(brief.getId()).isEqualTo(id);
    assertThat(brief.getGrowing()).isTrue();
    assertThat(brief.getProgramsCount()).isZero();
    StoreClient bob = store.client("bob");
    assertThat(bob.lineage().find("job_1")).isEmpty();
    assertRefused(Refusal.Reason.DENIED, () -> bob.lineage().seal(id));
    client.namespace().setMode("/", 0777);
    assertRefused(Refusal.Reason.DENIED, () -> bob.create(output("/bobs", 1)));
    List<DependencyRecord> growing = new ArrayList<>();
    bob.lineage().growing(growing::add);
    assertThat(growing).isEmpty();
    lineage.growing(growing::add);
    assertThat(growing).containsExactly(brief);
    lineage.seal(id);
    assertThat(lineage.find("job_1")).isEmpty();
  }

  @Test
  void oneWithManyOutputsIsFull() throws IOException {
    start(Map.of("lineage.outputs", "3"));
    for (int i = 0; i < 3; i++) {
      client.create(output("/d/f" + i, i)).close();
    }
    assertThatThrownBy(() -> client.create(output("/d/more", 3)))
        .isInstanceOfSatisfying(
            StoreRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Refusal.Reason.FULL))
        .hasMessageContaining("sailfish.lineage.master.lineage.outputs");
    client.create(TestStore.file("/d/more")).close();
  }

  @Test
  void oneThatNobodySealsIsSealedInTime() throws IOException {
    start(Map.of("lineage.idle", "2s"));
    client.create(output("/d/f", 1)).close();
    await("the record is sealed")
        .atMost(Duration.ofSeconds(60))
        .until(() -> !lineage.get(id).getGrowing());
    assertThat(lineage.get(id).getOutputsCount()).isOne();
  }
}

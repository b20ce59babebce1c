package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The leading one of three masters is killed after each step from a file's beginning over its
 * record, its loss and a recompute that is refused to one that ends well; and while a record grows.
 */
@Seeded
@Timeout(600)
class LineageKillTest {
  private static final byte[] SECRET =
      "the secret of three masters".getBytes(StandardCharsets.US_ASCII);
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int LENGTH = TestStore.BLOCK + 12_345;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private PeerProcesses masters;
  private StoreClient client;
  private Lineage lineage;

  @BeforeEach
  void start() throws IOException {
    masters =
        new PeerProcesses(
            LineageMaster.class,
            LineageMasterKey.ALL.prefix(),
            "sailfish_lineage_master_leads",
            SECRET,
            directory);
    masters.awaitLeader();
    client =
        new StoreClient(
            Configs.of(
                masters.addresses(), Credentials.ofCluster(SECRET), TestStore.ROOT, Set.of()));
    lineage = client.lineage();
  }

  @AfterEach
  void stop() {
    client.close();
    masters.close();
  }

  private DaemonProcess startWorker(int number) throws IOException {
    String addresses =
        masters.addresses().stream()
            .map(at -> at.getHostString() + ":" + at.getPort())
            .collect(Collectors.joining(","));
    return masters.startBeside(
        LineageWorker.class,
        LineageWorkerKey.ALL.prefix(),
        "worker-" + number,
        Map.of(
            "host",
            "127.0.0.1",
            "bind",
            "127.0.0.1",
            "dirs",
            directory.resolve("blocks-" + number) + ":capacity=100m",
            "master.address",
            addresses));
  }

  /** Another master leads then, and the killed one follows. */
  private void killLeader() throws IOException, InterruptedException {
    endLeader().start();
    masters.awaitLeader();
  }

  /**
   * @return the killed one, which has not been started again
   */
  private DaemonProcess endLeader() throws IOException, InterruptedException {
    DaemonProcess leader = masters.awaitLeader();
    leader.end("KILL");
    return leader;
  }

  private List<LostFile> lost() throws IOException {
    List<LostFile> all = new ArrayList<>();
    lineage.lost(all::add);
    return all;
  }

  private OutputState state(long fid) throws IOException {
    return lineage.of(fid).getOutputs(0).getState();
  }

  @Test
  void recordsAndRecomputesOutliveTheLeader(Seed seed) throws Exception {
    byte[] content = new byte[LENGTH];
    seed.random().nextBytes(content);
    DaemonProcess worker = startWorker(1);
    ProgramFile program =
        lineage.upload(Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3}));
    killLeader();
    FileOutput first = client.create(TestStore.file("/out"));
    long out = first.fid();
    killLeader();
    long id =
        lineage.create(
            CreateDependency.newBuilder()
                .setType(DependencyType.DEPENDENCY_WIDE)
                .addOutputs(DependencyOutput.newBuilder().setFid(out))
                .addPrograms(program)
                .setConfig(ByteString.copyFromUtf8("key=value"))
                .build());
    killLeader();
    assertThat(state(out)).isEqualTo(OutputState.OUTPUT_PENDING);
    first.write(content);
    first.close();
    killLeader();
    DependencyRecord record = lineage.get(id);
    assertThat(record.getOutputs(0).getState()).isEqualTo(OutputState.OUTPUT_STORED);
    assertThat(record.getOutputs(0).hasChecksum()).isTrue();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    lineage.fetch("root", program, bytes);
    assertThat(bytes.toByteArray()).containsExactly(1, 2, 3);

    startWorker(2);
    worker.end("KILL");
    loseAndRecompute(out, content);
    assertThat(lineage.get(id).getNondeterministic()).isTrue();
    client.namespace().delete("/out", false);
    killLeader();
    List<DependencyRecord> left = new ArrayList<>();
    await("a deleted file needs no record")
        .atMost(DEADLINE)
        .until(
            () -> {
              left.clear();
              lineage.list(left::add);
              return left.isEmpty();
            });
  }

  @Test
  void aRecordGrowsUnderAnyLeader() throws Exception {
    startWorker(1);
    ProgramFile program =
        lineage.upload(Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3}));
    CreateDependency job =
        CreateDependency.newBuilder()
            .setType(DependencyType.DEPENDENCY_WIDE)
            .addPrograms(program)
            .setName("job_1")
            .setGrowing(true)
            .build();
    long id = lineage.create(job);
    killLeader();
    assertThat(lineage.create(job)).isEqualTo(id);
    List<Long> fids = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      CreateFile asked =
          TestStore.file("/out-" + i).toBuilder()
              .setDependency(id)
              .setOutput(DependencyOutput.newBuilder().setIndex(i))
              .build();
      FileOutput out = client.create(asked);
      out.write(new byte[LENGTH]);
      killLeader();
      out.close();
      fids.add(out.fid());
    }
    lineage.seal(id);
    killLeader();
    DependencyRecord record = lineage.find("job_1").orElseThrow();
    assertThat(record.getGrowing()).isFalse();
    assertThat(record.getOutputsList())
        .extracting(DependencyOutput::getFid)
        .containsExactlyElementsOf(fids);
    assertThat(record.getOutputsList())
        .allMatch(output -> output.getState() == OutputState.OUTPUT_STORED);
  }

  private void loseAndRecompute(long out, byte[] content) throws Exception {
    // Asked of the new leader at once: starting a process may take longer than the lease.
    DaemonProcess ended = endLeader();
    assertThat(lost()).as("the worker has its lease to come back").isEmpty();
    ended.start();
    await("the file is lost").atMost(DEADLINE).until(() -> lost().size() == 1);
    killLeader();
    FileOutput wrong = lineage.recompute(out);
    killLeader();
    wrong.write(new byte[LENGTH]);
    assertThatThrownBy(wrong::close)
        .isInstanceOfSatisfying(
            StoreRefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(Refusal.Reason.DIFFERENT));
    killLeader();
    assertThat(state(out)).isEqualTo(OutputState.OUTPUT_INTERRUPTED);
    FileOutput again = lineage.recompute(out);
    again.write(content);
    killLeader();
    again.close();
    killLeader();
    assertThat(state(out)).isEqualTo(OutputState.OUTPUT_STORED);
    try (FileInput in = client.open("/out")) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
  }
}

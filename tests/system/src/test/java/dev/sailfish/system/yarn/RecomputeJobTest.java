package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.system.LineageDaemons;
import dev.sailfish.workflow.kept.KeptIfiles;
import dev.sailfish.workflow.step.RunningStep;
import dev.sailfish.workflow.step.StepRequest;
import dev.sailfish.workflow.step.mapreduce.MapReduceSteps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on real YARN whose outputs are lost, and which run again for them. */
@Tag("long")
@Timeout(900)
class RecomputeJobTest {
  private static final String OTHER_HOST = "127.0.0.2";
  private static final Duration LOSS = Duration.ofMinutes(1);
  private static final Duration STEP = Duration.ofMinutes(4);

  @TempDir private Path directory;
  private LineageDaemons daemons;
  private YarnCluster cluster;
  private StoreClient store;

  @BeforeEach
  void start() throws Exception {
    daemons =
        new LineageDaemons(
            Files.createDirectories(directory.resolve("store")), Map.of("worker.lease", "8s"));
    daemons.startWorker(OTHER_HOST);
    store = daemons.client();
    cluster = YarnCluster.start(directory);
  }

  /** Not in the test itself: what it says of a cluster that does not end would hide a failure. */
  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
    store.close();
    daemons.close();
  }

  @Test
  void onlyWhatIsLostIsMadeAgain() throws Exception {
    List<String> put = new ArrayList<>(List.of("fs"));
    put.addAll(settings());
    put.add("-Dsailfish.lineage.client.hosts=" + OTHER_HOST);
    put.addAll(List.of("-put", cluster.text().toString(), "lineage:///text"));
    cluster.succeed(put.toArray(new String[0]));
    DependencyRecord fixed = run("/fixed", 3, "sailfish", List.of());
    DependencyRecord auto =
        run(
            "/auto",
            3,
            "sailfish",
            List.of("--reduce-work", "auto", "-Dsailfish.reduce.work.target=8k"));
    DependencyRecord stock = run("/stock", 3, "stock", List.of());
    DependencyRecord maps = run("/maps", 0, "sailfish", List.of());
    assertThat(auto.getOutputsCount()).isEqualTo(2); // one has two partitions
    Map<String, ByteString> before = contents();
    List<FileEntry> files = files("/");
    daemons.endWorker(LineageDaemons.HOST);
    for (DependencyRecord record : List.of(fixed, auto, stock, maps)) {
      await()
          .atMost(LOSS)
          .untilAsserted(() -> assertThat(states(record)).containsOnly(OutputState.OUTPUT_LOST));
    }
    store.namespace().rename("/text", "/moved", false);
    for (DependencyRecord record : List.of(fixed, auto, stock, maps)) {
      recompute(record, List.of(record.getOutputs(1)));
      assertThat(states(record).get(1)).as(record.toString()).isEqualTo(OutputState.OUTPUT_STORED);
      assertThat(states(record).get(0)).isEqualTo(OutputState.OUTPUT_LOST);
      List<DependencyOutput> rest = new ArrayList<>(record.getOutputsList());
      rest.remove(1);
      recompute(record, rest);
      assertThat(states(record)).containsOnly(OutputState.OUTPUT_STORED);
    }
    store.namespace().rename("/moved", "/text", false);
    assertThat(contents()).isEqualTo(before);
    assertThat(files("/")).isEqualTo(files);
    assertThat(cluster.containerLogs())
        .contains("maps all, reduces {1}")
        .contains("maps {1}, reduces {}");
    assertThat(stagingDirectories()).hasSize(4); // of the jobs that had it kept
  }

  /** What a client is told of the store. */
  private Map<String, String> keys() {
    Map<String, String> keys = new TreeMap<>(daemons.keys());
    keys.put(
        "sailfish.lineage.client.masters",
        daemons.master().getHostString() + ":" + daemons.master().getPort());
    return keys;
  }

  private List<String> settings() {
    return keys().entrySet().stream().map(e -> "-D" + e.getKey() + "=" + e.getValue()).toList();
  }

  private DependencyRecord run(String output, int reduces, String shuffle, List<String> settings)
      throws Exception {
    Set<Path> before = Set.copyOf(stagingDirectories());
    List<String> command = new ArrayList<>(List.of("jar", "--shuffle", shuffle));
    command.addAll(settings());
    command.addAll(settings);
    command.add("-Dmapreduce.job.reduces=" + reduces);
    command.add("-Dsailfish.lineage.record=false"); // the test makes the record
    command.add("-Dmapreduce.task.files.preserve.filepattern=.*");
    command.addAll(
        List.of(
            cluster.examples().toString(), "wordcount", "lineage:///text", "lineage://" + output));
    cluster.succeed(command.toArray(new String[0]));
    List<Path> made = new ArrayList<>(stagingDirectories());
    made.removeAll(before);
    assertThat(made).hasSize(1);
    return new RecordedJob(store, made.get(0)).record("/text", output, reduces);
  }

  private List<Path> stagingDirectories() throws IOException {
    Path area = directory.resolve("cluster/data/staging");
    if (!Files.exists(area)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.find(area, 4, (path, is) -> isStaging(path))) {
      return paths.toList();
    }
  }

  private static boolean isStaging(Path path) {
    return path.getFileName().toString().startsWith("job_")
        && Files.exists(path.resolve("job.xml"));
  }

  private void recompute(DependencyRecord record, List<DependencyOutput> outputs) throws Exception {
    MapReduceSteps steps =
        new MapReduceSteps(
            configuration(),
            store.lineage(),
            new KeptIfiles(Network.SOCKETS, cluster.credentials()));
    RunningStep step = steps.start(new StepRequest(record, outputs, "", 0, Set.of("recompute")));
    await().atMost(STEP).until(() -> step.state() != RunningStep.State.RUNNING);
    assertThat(step.cause()).isEmpty();
    assertThat(step.state()).isEqualTo(RunningStep.State.SUCCEEDED);
  }

  private Configuration configuration() throws IOException {
    Configuration conf = new Configuration();
    for (String site : List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml")) {
      conf.addResource(cluster.conf().resolve(site).toUri().toURL());
    }
    keys().forEach(conf::set);
    return conf;
  }

  private List<OutputState> states(DependencyRecord record) throws IOException {
    return store.lineage().get(record.getId()).getOutputsList().stream()
        .map(DependencyOutput::getState)
        .toList();
  }

  /** Files and directories of the store, in order. */
  private List<FileEntry> files(String path) throws IOException {
    List<FileEntry> all = new ArrayList<>();
    List<FileEntry> entries = new ArrayList<>();
    store.namespace().list(path, entries::add);
    for (FileEntry entry : entries) {
      all.add(entry);
      if (entry.getDirectory()) {
        all.addAll(files(path.equals("/") ? "/" + entry.getName() : path + "/" + entry.getName()));
      }
    }
    return all;
  }

  private Map<String, ByteString> contents() throws IOException {
    Map<String, ByteString> contents = new TreeMap<>();
    for (String output : List.of("/fixed", "/auto", "/stock", "/maps")) {
      for (FileEntry file : files(output)) {
        String path = output + "/" + file.getName();
        try (FileInput in = store.open(path)) {
          contents.put(path, ByteString.readFrom(in));
        }
      }
    }
    return contents;
  }
}

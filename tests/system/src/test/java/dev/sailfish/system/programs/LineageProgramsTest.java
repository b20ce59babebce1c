package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.yarn.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs of Pig and of Hive leave records of how their files in the lineage store were made, and the
 * workflow manager makes lost ones again.
 */
@Tag("long")
@Timeout(900)
class LineageProgramsTest {
  private static final Duration LOSS = Duration.ofMinutes(1);
  private static final Duration RECOMPUTE = Duration.ofMinutes(6);

  @TempDir private Path directory;
  private YarnCluster cluster;
  private StoreClient client;
  private EdgeNode node;

  @BeforeEach
  void start() throws Exception {
    cluster =
        YarnCluster.start(
            directory,
            "--lineage-workers=2",
            "-Dsailfish.lineage.worker.idle.release=2s",
            "-Dsailfish.lineage.master.worker.lease=8s");
    client = cluster.store();
    Path in = Files.createDirectory(directory.resolve("in"));
    Inputs.write(in);
    cluster.succeed("store", "mount", "/in", in.toUri().toString(), "read.only=true");
    node =
        EdgeNode.create(
            directory.resolve("node"),
            cluster.conf(),
            cluster.succeed("env").output(),
            Mode.FIXED,
            Version.OWN);
    Map<String, String> environment = new HashMap<>(Commands.environment(in));
    Path jar = SailfishCommand.projectRoot().resolve("hadoop-plugin/cli/target/dist/client");
    environment.merge("HADOOP_CLASSPATH", jar + "/sailfish-client.jar", (a, b) -> a + ":" + b);
    node.set(environment);
  }

  /** Not in the test itself: what it says of a cluster that does not end would hide a failure. */
  @AfterEach
  void stop() throws Exception {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void ofHive() throws Exception {
    query(
        """
        CREATE EXTERNAL TABLE words (line string) LOCATION 'lineage:///in/words';
        CREATE EXTERNAL TABLE counts (line string, number bigint) LOCATION 'lineage:///out';
        SET mapreduce.job.reduces=2;
        INSERT OVERWRITE TABLE counts SELECT line, count(*) FROM words GROUP BY line;
        """);
    assertMadeAgain(assertRecorded(files("/in/words")));
    removeFiles();
  }

  private void query(String script) throws Exception {
    HiveServer server = HiveServer.start(node, directory.resolve("hive"));
    try {
      server.run(script);
    } finally {
      server.stop();
    }
  }

  /** The default file system is another one. */
  @Test
  void ofPig() throws Exception {
    Path script = directory.resolve("script.pig");
    Files.writeString(
        script,
        """
        words = LOAD 'lineage:///in/words' AS (line:chararray);
        others = LOAD 'lineage:///in/left' AS (key:chararray, line:chararray);
        both = COGROUP words BY line, others BY line PARALLEL 2;
        counts = FOREACH both GENERATE group, COUNT(words), COUNT(others);
        STORE counts INTO 'lineage:///out';
        """);
    node.run(node.directory(), Map.of(), List.of("pig", "-f", script.toString()));
    List<Long> inputs = files("/in/words");
    inputs.addAll(files("/in/left"));
    assertMadeAgain(assertRecorded(inputs));
    removeFiles();
  }

  /** One record has all files that can be seen, and is of all files that were read. */
  private DependencyRecord assertRecorded(List<Long> inputs) throws IOException {
    List<Long> outputs = files("/out");
    assertThat(outputs).isNotEmpty();
    DependencyRecord record = client.lineage().of(outputs.get(0));
    assertThat(record.getName()).startsWith("job_");
    assertThat(record.getOutputsList()).extracting(DependencyOutput::getFid).containsAll(outputs);
    assertThat(record.getInputsList())
        .extracting(DependencyInput::getFid)
        .containsExactlyInAnyOrderElementsOf(inputs);
    return record;
  }

  private void assertMadeAgain(DependencyRecord record) throws Exception {
    List<Long> outputs = files("/out");
    Map<String, String> before = get("before");
    assertThat(before).isNotEmpty();
    Set<Long> lost = lose(outputs.get(0));
    await().atMost(RECOMPUTE).until(() -> Collections.disjoint(lost(), outputs));
    assertThat(get("after")).isEqualTo(before);
    assertThat(files("/out")).isEqualTo(outputs);
    DependencyRecord after = client.lineage().get(record.getId());
    assertThat(after.getNondeterministic()).isFalse();
    assertThat(after.getOutputsList())
        .filteredOn(output -> lost.contains(output.getFid()))
        .extracting(DependencyOutput::getState)
        .containsOnly(OutputState.OUTPUT_STORED);
  }

  /** The records' programs, too, which stay for a day otherwise. */
  private void removeFiles() throws Exception {
    cluster.succeed("store", "free", "/in");
    cluster.succeed("store", "unmount", "/in");
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
  }

  /** Files that are lost with the worker that has the first block of one of them. */
  private Set<Long> lose(long fid) throws Exception {
    cluster.loseLineageWorker(client.namespace().locate(fid, 0, 0).getWorkers(0).getPort());
    await().atMost(LOSS).until(() -> lost().contains(fid));
    return lost();
  }

  private Set<Long> lost() throws IOException {
    Set<Long> lost = new HashSet<>();
    client.lineage().lost(file -> lost.add(file.getOutput().getFid()));
    return lost;
  }

  /** Content of the job's files, by name. */
  private Map<String, String> get(String name) throws Exception {
    Path copy = directory.resolve(name);
    cluster.succeed("fs", "-get", "lineage:///out", copy.toString());
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(copy)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        content.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return content;
  }

  private List<Long> files(String path) throws IOException {
    List<Long> fids = new ArrayList<>();
    client
        .namespace()
        .list(
            path,
            entry -> {
              if (!entry.getDirectory() && !entry.getName().startsWith("_")) {
                fids.add(entry.getFid());
              }
            });
    return fids;
  }
}

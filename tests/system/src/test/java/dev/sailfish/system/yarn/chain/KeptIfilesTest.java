package dev.sailfish.system.yarn.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lost outputs of jobs whose I-files are kept until outputs are checkpointed. */
@Tag("long")
@Timeout(900)
class KeptIfilesTest {
  private static final Path WORK = Path.of("target/kept-ifiles").toAbsolutePath();
  private static final int MAPS = 3;
  private static final String IN = "lineage:///below/text";

  private static ChainCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    ScratchDirectory.delete(WORK);
    Path text = Files.createDirectories(WORK.resolve("below/text"));
    for (int file = 0; file < MAPS; file++) {
      Files.writeString(
          text.resolve("file" + file), "word1 word2 word%d\n".formatted(file).repeat(999));
    }
    cluster = ChainCluster.start(WORK, "--chunkservers=2");
    String below = text.getParent().toUri().toString();
    cluster.sailfish().succeed(ChainCluster.DEADLINE, "store", "mount", "/below", below);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  /** Runs a job that keeps its I-files; returns the record of its outputs. */
  private static DependencyRecord run(String output, String... settings) throws Exception {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("-Dsailfish.keep.ifiles.until.checkpointed=true");
    cluster.chain("sailfish", all, IN, List.of("lineage://" + output));
    DependencyRecord record = cluster.client().lineage().of(fid(output + "/part-r-00000"));
    await("I-files are kept").atMost(ChainCluster.DEADLINE).until(() -> isKept(record));
    return record;
  }

  private static long fid(String path) throws IOException {
    return cluster.client().namespace().stat(path).getFid();
  }

  private static boolean isKept(DependencyRecord record) throws IOException {
    return summary(record).filter(JobSummary::getKept).isPresent();
  }

  private static Optional<JobSummary> summary(DependencyRecord record) throws IOException {
    try (MetaserverClient metaserver = cluster.metaserver()) {
      return metaserver.listJobs().getJobsList().stream()
          .filter(job -> job.getJob().equals(record.getName()))
          .findFirst();
    }
  }

  private static Map<String, String> contents(String output) throws IOException {
    List<String> names = new ArrayList<>();
    cluster.client().namespace().list(output, file -> names.add(file.getName()));
    names.removeIf(name -> !name.startsWith("part-"));
    Map<String, String> contents = new TreeMap<>();
    for (String name : names) {
      try (FileInput in = cluster.client().open(output + "/" + name)) {
        contents.put(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return contents;
  }

  /** Loses a file, and others with it; all are there again when this returns. */
  private static void loseAndAwait(String path) throws Exception {
    long fid = fid(path);
    cluster.emptyHolder(fid);
    await(path + " is lost")
        .atMost(ChainCluster.DEADLINE)
        .until(() -> cluster.lost().stream().anyMatch(file -> file.getOutput().getFid() == fid));
    await("nothing is lost").atMost(ChainCluster.CHAIN).until(() -> cluster.lost().isEmpty());
  }

  /** The last words of each application that has made lost files of a record again. */
  private static List<String> recomputes(DependencyRecord record) {
    List<JsonNode> ended =
        await("the steps have ended")
            .atMost(ChainCluster.DEADLINE)
            .until(
                () -> cluster.recomputes(record.getId()),
                all -> !all.isEmpty() && all.stream().noneMatch(KeptIfilesTest::isRunning));
    assertThat(ended)
        .extracting(step -> step.path("finalStatus").asText())
        .containsOnly("SUCCEEDED");
    return ended.stream().map(step -> step.path("diagnostics").asText()).toList();
  }

  private static boolean isRunning(JsonNode step) {
    return !step.path("state").asText().equals("FINISHED");
  }

  @Test
  void lostOutputsAreMadeOfKeptIfilesWithoutMaps() throws Exception {
    DependencyRecord fixed = run("/fixed");
    DependencyRecord auto =
        run("/auto", "-Dsailfish.reduce.work=auto", "-Dsailfish.reduce.work.target=1k");
    Map<String, String> fixedBefore = contents("/fixed");
    Map<String, String> autoBefore = contents("/auto");
    loseAndAwait("/fixed/part-r-00000");
    if (cluster.recomputes(auto.getId()).isEmpty()) { // no file of it was with that worker
      loseAndAwait("/auto/part-r-00000");
    }
    assertThat(contents("/fixed")).isEqualTo(fixedBefore);
    assertThat(contents("/auto")).isEqualTo(autoBefore);
    for (DependencyRecord record : List.of(fixed, auto)) {
      assertThat(recomputes(record))
          .allMatch(words -> words.contains("Tasks that ran: 0 of %d maps".formatted(MAPS)));
      assertThat(isKept(record)).isTrue();
    }
  }

  @Test
  void whereAChunkserverIsGoneMapsRun() throws Exception {
    DependencyRecord record = run("/gone");
    Map<String, String> before = contents("/gone");
    ChunkDescription chunk;
    try (MetaserverClient metaserver = cluster.metaserver()) {
      chunk = metaserver.describeJob(record.getName(), 0).getChunks(0);
    }
    DaemonProcess victim = cluster.killChunkserver(chunk.getPort());
    try {
      loseAndAwait("/gone/part-r-00000");
      assertThat(contents("/gone")).isEqualTo(before);
      assertThat(recomputes(record))
          .singleElement()
          .asString()
          .contains("cannot read what is kept of " + record.getName() + ": all 3 maps run")
          .contains("Tasks that ran: 3 of 3 maps");
    } finally {
      cluster.startAgain(victim);
    }
  }

  @Test
  void whenAllIsCheckpointedNothingIsKept() throws Exception {
    DependencyRecord record = run("/below/safe");
    await("I-files are dropped")
        .atMost(ChainCluster.DEADLINE)
        .until(() -> summary(record).isEmpty());
    assertThat(Files.readString(WORK.resolve("cluster/logs/workflow.log")))
        .contains("I-files of " + record.getName() + " are dropped");
  }
}

package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands that {@code sailfish lineage run} has recorded, and whose files are lost with the
 * workers that have them. One worker is left for what is written again.
 */
@Tag("long")
@Timeout(900)
class RecordedCommandTest {
  private static final Duration LOSS = Duration.ofMinutes(1);

  @TempDir private Path directory;
  private YarnCluster cluster;
  private StoreClient store;

  @BeforeEach
  void start() throws Exception {
    cluster =
        YarnCluster.start(
            directory,
            "--lineage-workers=3",
            "-Dsailfish.lineage.worker.idle.release=2s",
            "-Dsailfish.lineage.master.worker.lease=8s",
            "-Dsailfish.workflow.attempts=2",
            "-Dsailfish.workflow.retry.first=1s");
    store = cluster.store();
  }

  @AfterEach
  void stop() throws Exception {
    if (store != null) {
      store.close();
    }
    if (cluster != null) {
      cluster.stop();
    }
  }

  private ByteString content(String path) throws IOException {
    try (FileInput in = store.open(path)) {
      return ByteString.readFrom(in);
    }
  }

  /** Kills the worker that has a file, and waits until the masters know that it is lost. */
  private void lose(String path) throws Exception {
    List<WorkerAddress> holders = store.namespace().open(path, 1).getWorkersList();
    assertThat(holders).hasSize(1);
    cluster.loseLineageWorker(holders.get(0).getPort());
    await().atMost(LOSS).until(() -> lost(path).isPresent());
  }

  private Optional<LostFile> lost(String path) throws IOException {
    List<LostFile> lost = new ArrayList<>();
    store.lineage().lost(lost::add);
    return lost.stream().filter(file -> file.getPath().equals(path)).findAny();
  }

  @Test
  void runAgainWhenTheirFilesAreLost() throws Exception {
    Path script = Files.writeString(directory.resolve("count"), "#!/bin/sh\nsort \"$1\" | uniq -c");
    cluster.succeed(
        "lineage",
        "run",
        "--output=lineage:///words",
        "--memory=64",
        "--",
        "sh",
        "-c",
        "seq 1 5000 | sed 's/.$//' > words");
    cluster.succeed(
        "lineage",
        "run",
        "--input=lineage:///words=in",
        "--output=lineage:///sorted=out",
        "--program=" + script,
        "--env=LIMIT=300",
        "--memory=64",
        "--",
        "sh",
        "-c",
        "./count in | head -n $LIMIT > out");
    Path marker = directory.resolve("marker");
    cluster.succeed(
        "lineage",
        "run",
        "--output=lineage:///unlucky",
        "--memory=64",
        "--",
        "sh",
        "-c",
        "if [ -e %s ]; then echo out of luck >&2; exit 3; fi; echo luck > unlucky"
            .formatted(marker));
    Files.createFile(marker);
    ByteString sorted = content("/sorted");
    assertThat(sorted.toStringUtf8()).hasLineCount(300);

    lose("/sorted");
    cluster.succeed("lineage", "recompute", "/sorted", "/words", "--deadline=240");
    assertThat(content("/sorted")).isEqualTo(sorted);

    if (lost("/unlucky").isEmpty()) { // it was not lost with the other one
      lose("/unlucky");
    }
    Result failed = cluster.run(List.of("lineage", "recompute", "/unlucky", "--deadline=240"));
    assertThat(failed.output()).contains("the command ended with 3: out of luck");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(lost("/unlucky").orElseThrow().getGivenUp()).contains("out of luck");

    cluster.succeed("lineage", "recompute", "/sorted", "/words", "--deadline=240");
    assertThat(content("/sorted")).isEqualTo(sorted);
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
  }
}

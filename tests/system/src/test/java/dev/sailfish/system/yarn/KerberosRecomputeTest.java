package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.StockOutput;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a Kerberized YARN whose output is lost: the workflow manager, which has a keytab of its
 * own, has it run again with the rights of the one who submitted it.
 */
@Tag("long")
@Timeout(900)
class KerberosRecomputeTest {
  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration JOB = Duration.ofMinutes(5);
  private static final long JOB_SEED = 4099;
  private static final String NO_SECRET = "-Dsailfish.lineage.client.cluster.secret.file=none";

  @TempDir static Path temporary;
  private static KerberizedCluster cluster;
  private static SailfishCommand user;

  @BeforeAll
  static void startKdcAndCluster() throws Exception {
    cluster = KerberizedCluster.start(temporary, 2);
    user = cluster.user();
    user.succeed(START, "fs", "-chmod", "777", "lineage:///");
  }

  @AfterAll
  static void stopClusterAndKdc() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  /** The worker that has a file comes back with nothing. */
  private static void lose(StoreClient store, long fid) throws Exception {
    await("the programs are with two workers").atMost(START).until(() -> areTwice(store));
    int port = store.namespace().locate(fid, 0, 0).getWorkers(0).getPort();
    ClusterFile file = new ClusterFile(temporary.resolve("cluster"));
    for (JsonNode record : file.daemons()) {
      if (record.path("address").asText().endsWith(":" + port)) {
        RestClient web = new RestClient(record.path("web").asText());
        DaemonProcess worker = ClusterFile.process(record, () -> web.get("/status").isPresent());
        worker.end("KILL");
        String directories = worker.properties().getProperty("sailfish.lineage.worker.dirs");
        for (String directory : directories.split(",")) {
          ScratchDirectory.delete(Path.of(directory.replaceAll(":.*", "")));
        }
        worker.start();
        file.started(worker);
      }
    }
    await("it is lost")
        .atMost(START)
        .until(() -> store.namespace().locate(fid, 0, 0).getWorkersCount() == 0);
  }

  private static boolean areTwice(StoreClient store) throws IOException {
    List<FileEntry> programs = new ArrayList<>();
    store.namespace().list("/.lineage/programs/" + KerberizedCluster.USER, programs::add);
    for (FileEntry program : programs) {
      if (store.namespace().locate(program.getFid(), 0, 0).getWorkersCount() < 2) {
        return false;
      }
    }
    return !programs.isEmpty();
  }

  private static String log(String daemon) throws IOException {
    return Files.readString(temporary.resolve("cluster/logs/" + daemon + ".log"));
  }

  @Test
  void aLostFileIsMadeAgainWithTheRightsOfItsOwner() throws Exception {
    user.succeed(
        JOB,
        "jar",
        "--shuffle",
        "sailfish",
        NO_SECRET,
        SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString(),
        "dev.sailfish.jobs.RandomJobMain",
        Long.toString(JOB_SEED),
        "lineage:///lost");
    try (StoreClient store = YarnCluster.store(cluster.conf(), user.secret())) {
      lose(store, store.namespace().stat("/lost/part-r-00000").getFid());
    }
    Path copy = temporary.resolve("copy");
    user.succeed(JOB, "fs", NO_SECRET, "-get", "lineage:///lost", copy.toUri().toString());
    assertThat(OutputFiles.read(copy))
        .isNotEmpty()
        .isEqualTo(StockOutput.of(RandomJobSpec.ofSeed(JOB_SEED), temporary.resolve("local")));
    assertThat(log("workflow")).containsPattern("application_[0-9]+_0002 SUCCEEDED");
    assertThat(log("resourcemanager"))
        .containsPattern(
            "Submit.* application_[0-9]+_0002.* user "
                + KerberizedCluster.USER
                + "|"
                + "USER="
                + KerberizedCluster.USER
                + "\\s.*Submit Application.*_0002");
  }
}

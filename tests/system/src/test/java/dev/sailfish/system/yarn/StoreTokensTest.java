package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import dev.sailfish.system.StockOutput;
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
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a Kerberized YARN whose files are in the lineage store, and whose client and tasks have
 * no secret: the client gets a token with its ticket, and tasks have that. The ResourceManager has
 * nothing of Sailfish on its class path.
 */
@Tag("long")
class StoreTokensTest {
  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration JOB = Duration.ofMinutes(5);
  private static final long JOB_SEED = 4099;
  private static final String NO_SECRET = "sailfish.lineage.client.cluster.secret.file=none";

  @TempDir static Path temporary;
  private static KerberizedCluster cluster;
  private static SailfishCommand user;

  @BeforeAll
  static void startKdcAndCluster() throws Exception {
    cluster = KerberizedCluster.start(temporary, 1);
    user = cluster.user();
    user.succeed(START, "fs", "-chmod", "777", "lineage:///");
  }

  @AfterAll
  static void stopClusterAndKdc() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  private static String[] job(String output, String... settings) throws Exception {
    List<String> job = new ArrayList<>(List.of("jar", "--shuffle", "sailfish", "-D" + NO_SECRET));
    for (String setting : settings) {
      job.add("-D" + setting);
    }
    job.add(SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    job.add("dev.sailfish.jobs.RandomJobMain");
    job.add(Long.toString(JOB_SEED));
    job.add(output);
    return job.toArray(new String[0]);
  }

  private static String masterLog() throws IOException {
    return Files.readString(temporary.resolve("cluster/logs/lineage-master.log"));
  }

  @Test
  void tasksWriteWithTheTokenOfTheJob() throws Exception {
    user.succeed(JOB, job("lineage:///with-token"));
    assertThat(masterLog())
        .containsPattern(
            "delegation token issued: owner="
                + KerberizedCluster.USER
                + " realUser= renewer=rm/localhost");
    Path copy = temporary.resolve("copy");
    user.succeed(START, "fs", "-get", "lineage:///with-token", copy.toUri().toString());
    assertThat(OutputFiles.read(copy))
        .isNotEmpty()
        .isEqualTo(StockOutput.of(RandomJobSpec.ofSeed(JOB_SEED), temporary.resolve("local")));
  }

  @Test
  void whoHasNeitherTicketNorSecretGetsNothing() throws Exception {
    Result result =
        cluster.stranger().run(JOB, List.of("fs", "-D" + NO_SECRET, "-ls", "lineage:///"));
    assertThat(result.exitCode()).as(result.output()).isNotZero();
    assertThat(result.output()).containsIgnoringCase("kerberos");
  }
}

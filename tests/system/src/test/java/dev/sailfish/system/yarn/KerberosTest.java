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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a Kerberized YARN: daemons and user have keytabs of a real KDC, Hadoop's RPC asks for
 * tickets and tokens, the shuffle's secret is the one that MapReduce made, and the job is admitted
 * by the delegation token that its client gets from the metaserver. The ResourceManager has nothing
 * of Sailfish on its class path. The stock shuffle cannot run there without Hadoop's native
 * library, so the output is compared with that of a local job.
 */
class KerberosTest {
  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration JOB = Duration.ofMinutes(4);

  /** A job of {@code RandomJobMain} with two maps and two reduces: each is a JVM. */
  private static final long JOB_SEED = 4099;

  @TempDir static Path temporary;
  private static KerberizedCluster cluster;
  private static SailfishCommand user;

  @BeforeAll
  static void startKdcAndCluster() throws Exception {
    cluster = KerberizedCluster.start(temporary);
    user = cluster.user();
  }

  @AfterAll
  static void stopClusterAndKdc() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  private static String[] job(String output, String... settings) throws Exception {
    List<String> job = new ArrayList<>(List.of("jar", "--shuffle", "sailfish"));
    for (String setting : settings) {
      job.add("-D" + setting);
    }
    job.add(SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    job.add("dev.sailfish.jobs.RandomJobMain");
    job.add(Long.toString(JOB_SEED));
    job.add(temporary.resolve(output).toString());
    return job.toArray(new String[0]);
  }

  private static String metaserverLog() throws IOException {
    return Files.readString(temporary.resolve("cluster/logs/metaserver.log"));
  }

  @Test
  void jobShouldBeAdmittedByItsTokenAndEqualStock() throws Exception {
    user.succeed(JOB, job("output"));
    assertThat(OutputFiles.read(temporary.resolve("output")))
        .isNotEmpty()
        .isEqualTo(StockOutput.of(RandomJobSpec.ofSeed(JOB_SEED), temporary.resolve("local")));
    assertThat(metaserverLog())
        .containsPattern(
            "delegation token issued: owner="
                + KerberizedCluster.USER
                + " realUser= renewer=rm/localhost");
  }

  @Test
  void envShouldPrintWhatClientsSet() throws Exception {
    assertThat(user.succeed(START, "env").output())
        .containsPattern(
            "<name>mapreduce.job.hdfs-servers</name><value>sailfish://127.0.0.1:[0-9]+/</value>")
        .contains(
            "<name>fs.sailfish.impl</name><value>dev.sailfish.hadoop.TokenFileSystem</value>",
            "<name>sailfish.metaserver.kerberos.principal</name><value>"
                + cluster.metaserver()
                + "</value>");
  }

  /** A job that names only its own file systems; an empty value would leave the cluster's. */
  @Test
  void jobWithoutATokenShouldBeToldWhatToSet() throws Exception {
    Result result =
        user.run(
            JOB,
            List.of(
                job(
                    "refused",
                    "mapreduce.job.hdfs-servers=file:///",
                    "mapreduce.map.maxattempts=1")));
    assertThat(result.exitCode()).as(result.output()).isNotZero();
    assertThat(containerLogs())
        .contains("is not admitted: it has no delegation token of the metaserver")
        .contains("set mapreduce.job.hdfs-servers");
  }

  private static String containerLogs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(temporary.resolve("cluster/logs/containers"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  @Test
  void clientWithAnotherPrincipalInMindShouldGetNoToken() throws Exception {
    Result result =
        user.run(JOB, List.of(job("other", "sailfish.metaserver.kerberos.principal=rm/localhost")));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output())
        .contains("no delegation token of the Sailfish metaserver at 127.0.0.1")
        .contains("is sailfish.metaserver.kerberos.principal=rm/localhost the metaserver's?");
  }

  @Test
  void whoHasNoTicketShouldNotGetAJob() throws Exception {
    Result result = cluster.stranger().run(JOB, List.of(job("nothing")));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output()).containsIgnoringCase("kerberos");
  }
}

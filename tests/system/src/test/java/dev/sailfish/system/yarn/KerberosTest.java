package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import dev.sailfish.system.StockOutput;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.minikdc.MiniKdc;
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
  private static final String DAEMONS = "/localhost";
  private static final String KDC_OPTION = "-Djava.security.krb5.conf=";

  /** Containers run as the NodeManager's user, so that is the user who submits. */
  private static final String USER = System.getProperty("user.name");

  /** A job of {@code RandomJobMain} with two maps and two reduces: each is a JVM. */
  private static final long JOB_SEED = 4099;

  @TempDir static Path temporary;
  private static MiniKdc kdc;
  private static SailfishCommand stranger;
  private static SailfishCommand user;

  @BeforeAll
  static void startKdcAndCluster() throws Exception {
    kdc = new MiniKdc(MiniKdc.createConf(), temporary.resolve("kdc").toFile());
    kdc.start();
    File keytab = temporary.resolve("daemons.keytab").toFile();
    kdc.createPrincipal(
        keytab, "rm" + DAEMONS, "nm" + DAEMONS, "jhs" + DAEMONS, "sailfish" + DAEMONS);
    File users = temporary.resolve("user.keytab").toFile();
    kdc.createPrincipal(users, USER);
    Map<String, String> environment = new HashMap<>(YarnSettings.ENVIRONMENT);
    environment.put("JAVA_TOOL_OPTIONS", KDC_OPTION + kdcFile());
    stranger = new SailfishCommand(temporary, environment);
    environment.put("KRB5PRINCIPAL", principal(USER));
    environment.put("KRB5KEYTAB", users.getAbsolutePath());
    user = new SailfishCommand(temporary, environment);
    List<String> start = new ArrayList<>(List.of("start"));
    start.addAll(YarnSettings.QUICK);
    settings(keytab.getAbsolutePath()).forEach((key, value) -> start.add("-D" + key + "=" + value));
    user.succeed(START, start.toArray(new String[0]));
  }

  private static String kdcFile() {
    return kdc.getKrb5conf().getAbsolutePath();
  }

  private static String principal(String name) {
    return name + "@" + kdc.getRealm();
  }

  private static Map<String, String> settings(String keytab) {
    Map<String, String> settings = new HashMap<>();
    settings.put("hadoop.security.authentication", "kerberos");
    settings.put("yarn.resourcemanager.principal", principal("rm" + DAEMONS));
    settings.put("yarn.resourcemanager.keytab", keytab);
    settings.put("yarn.nodemanager.principal", principal("nm" + DAEMONS));
    settings.put("yarn.nodemanager.keytab", keytab);
    settings.put("mapreduce.jobhistory.principal", principal("jhs" + DAEMONS));
    settings.put("mapreduce.jobhistory.keytab", keytab);
    settings.put("yarn.nodemanager.admin-env", "JAVA_TOOL_OPTIONS=" + KDC_OPTION + kdcFile());
    settings.put("sailfish.metaserver.kerberos.principal", principal("sailfish" + DAEMONS));
    settings.put("sailfish.metaserver.kerberos.keytab", keytab);
    settings.put("yarn.resourcemanager.connect.max-wait.ms", "5000");
    settings.put("yarn.resourcemanager.connect.retry-interval.ms", "1000");
    return settings;
  }

  @AfterAll
  static void stopClusterAndKdc() throws Exception {
    user.succeed(START, "stop");
    kdc.stop();
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
            "delegation token issued: owner=" + USER + " realUser= renewer=rm/localhost");
  }

  @Test
  void envShouldPrintWhatClientsSet() throws Exception {
    assertThat(user.succeed(START, "env").output())
        .containsPattern(
            "<name>mapreduce.job.hdfs-servers</name><value>sailfish://127.0.0.1:[0-9]+/</value>")
        .contains(
            "<name>fs.sailfish.impl</name><value>dev.sailfish.hadoop.TokenFileSystem</value>",
            "<name>sailfish.metaserver.kerberos.principal</name><value>"
                + principal("sailfish" + DAEMONS)
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
        user.run(JOB, List.of(job("other", "sailfish.metaserver.kerberos.principal=rm" + DAEMONS)));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output())
        .contains("no delegation token of the Sailfish metaserver at 127.0.0.1")
        .contains("is sailfish.metaserver.kerberos.principal=rm/localhost the metaserver's?");
  }

  @Test
  void whoHasNoTicketShouldNotGetAJob() throws Exception {
    Result result = stranger.run(JOB, List.of(job("nothing")));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output()).containsIgnoringCase("kerberos");
  }
}

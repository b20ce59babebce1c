package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.minikdc.MiniKdc;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a Kerberized YARN: daemons and user have keytabs of a real KDC, Hadoop's RPC asks for
 * tickets and tokens, and the shuffle's secret is the one that MapReduce made. The stock shuffle
 * cannot run there without Hadoop's native library, so the output is compared with that of a local
 * job.
 */
class KerberosTest {
  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration JOB = Duration.ofMinutes(4);
  private static final String DAEMONS = "/localhost";
  private static final String KDC_OPTION = "-Djava.security.krb5.conf=";

  /** Containers run as whoever runs the NodeManager, so that is the user who submits. */
  private static final String USER = System.getProperty("user.name");

  /** An arbitrary job of {@code RandomJobMain}. */
  private static final long JOB_SEED = 4711;

  @TempDir static Path temporary;
  private static MiniKdc kdc;
  private static SailfishCommand stranger;
  private static SailfishCommand user;

  @BeforeAll
  static void startKdcAndCluster() throws Exception {
    kdc = new MiniKdc(MiniKdc.createConf(), temporary.resolve("kdc").toFile());
    kdc.start();
    File keytab = temporary.resolve("daemons.keytab").toFile();
    kdc.createPrincipal(keytab, "rm" + DAEMONS, "nm" + DAEMONS, "jhs" + DAEMONS);
    File users = temporary.resolve("user.keytab").toFile();
    kdc.createPrincipal(users, USER);
    Map<String, String> environment = new HashMap<>();
    environment.put("JAVA_TOOL_OPTIONS", KDC_OPTION + kdcFile());
    stranger = new SailfishCommand(temporary, environment);
    environment.put("KRB5PRINCIPAL", principal(USER));
    environment.put("KRB5KEYTAB", users.getAbsolutePath());
    user = new SailfishCommand(temporary, environment);
    List<String> start = new ArrayList<>(List.of("start"));
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
    settings.put("yarn.resourcemanager.connect.max-wait.ms", "5000");
    settings.put("yarn.resourcemanager.connect.retry-interval.ms", "1000");
    return settings;
  }

  @AfterAll
  static void stopClusterAndKdc() throws Exception {
    user.succeed(START, "stop");
    kdc.stop();
  }

  private static String[] job(String output) throws Exception {
    return new String[] {
      "jar",
      "--shuffle",
      "sailfish",
      SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString(),
      "dev.sailfish.jobs.RandomJobMain",
      Long.toString(JOB_SEED),
      temporary.resolve(output).toString()
    };
  }

  @Test
  void jobShouldEqualStock() throws Exception {
    user.succeed(JOB, job("output"));
    assertThat(OutputFiles.read(temporary.resolve("output")))
        .isNotEmpty()
        .isEqualTo(StockOutput.of(RandomJobSpec.ofSeed(JOB_SEED), temporary.resolve("local")));
  }

  @Test
  void whoHasNoTicketShouldNotGetAJob() throws Exception {
    Result result = stranger.run(JOB, List.of(job("nothing")));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output()).containsIgnoringCase("kerberos");
  }
}

package dev.sailfish.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.message.Ticket;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.WarmTasks;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class SailfishTest {
  @TempDir private Path root;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private CommandLine line;

  @BeforeEach
  void createCommandLine() {
    System.setProperty(Distribution.ROOT_PROPERTY, root.toString());
    line = Sailfish.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
  }

  @AfterEach
  void forgetRoot() {
    System.clearProperty(Distribution.ROOT_PROPERTY);
  }

  @Test
  void whatFollowsTheJarBelongsToTheJob() {
    ParseResult parsed =
        line.parseArgs(
                "jar",
                "--shuffle",
                "stock",
                "-Da.b=c=d",
                "-D",
                "e=f",
                "x.jar",
                "Main",
                "-Dg=h",
                "--dir")
            .subcommand();
    assertThat(parsed.matchedPositional(0).<List<String>>getValue())
        .containsExactly("x.jar", "Main", "-Dg=h", "--dir");
    assertThat(parsed.matchedOption("-D").<Map<String, String>>getValue())
        .containsEntry("a.b", "c=d")
        .containsEntry("e", "f");
    assertThat(parsed.hasMatchedOption("--dir")).isFalse();
  }

  @Test
  void aJobMayAskForWarmTasks() {
    ParseResult parsed =
        line.parseArgs("jar", "--warm-tasks", "isolated", "x.jar", "--warm-tasks", "off")
            .subcommand();
    assertThat(parsed.matchedOption("--warm-tasks").<Optional<WarmTasks>>getValue())
        .contains(WarmTasks.ISOLATED);
    assertThat(parsed.matchedPositional(0).<List<String>>getValue())
        .containsExactly("x.jar", "--warm-tasks", "off");
    assertThat(line.execute("jar", "--warm-tasks", "hot", "x.jar")).isEqualTo(2);
    assertThat(err.toString()).contains("[ISOLATED, SHARED, OFF]");
  }

  @Test
  void statusWithoutAClusterFailsAndSaysSo() {
    assertThat(line.execute("status", "--dir", root.resolve("none").toString())).isEqualTo(1);
    assertThat(out.toString()).contains("No local cluster");
  }

  @Test
  void aMissingJarIsOneSentence() {
    assertThat(line.execute("jar", root.resolve("missing.jar").toString())).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("sailfish: There is no readable file")
        .doesNotContain("\tat ");
  }

  @Test
  void unknownShufflesAreRefusedWithTheKnownOnes() {
    assertThat(line.execute("jar", "--shuffle", "fast", "x.jar")).isEqualTo(2);
    assertThat(err.toString()).contains("[STOCK, SAILFISH]");
  }

  @Test
  void envNamesTheKeysAndTheJar() {
    assertThat(line.execute("env", "--dir", root.resolve("none").toString())).isZero();
    assertThat(out.toString())
        .contains("sailfish-client.jar")
        .contains("<name>mapreduce.application.classpath</name>")
        .contains("<value>dev.sailfish.hadoop.SailfishMapOutputCollector</value>")
        .contains("<value>dev.sailfish.hadoop.SailfishShuffleConsumer</value>")
        .contains("<name>sailfish.metaserver.address</name>")
        .contains("<name>yarn.app.mapreduce.am.job.node-blacklisting.enable</name>");
  }

  /** What is pasted into mapred-site.xml selects it only when somebody takes the comment away. */
  @Test
  void envHasTheLineOfTheApplicationMasterAsAComment() {
    assertThat(line.execute("env", "--dir", root.resolve("none").toString())).isZero();
    assertThat(out.toString().lines())
        .contains(
            "<!-- <property><name>yarn.app.mapreduce.am.command-opts</name><value>-Xmx1024m"
                + " -XX:TieredStopAtLevel=1 &lt;ADD_OPENS&gt; dev.sailfish.hadoop.am.SailfishAppMaster</value></property>"
                + " -->");
  }

  private Path secret() throws IOException {
    Path secret = root.resolve("secret");
    ClusterSecret.create(secret);
    return secret;
  }

  @Test
  void envTellsHowTasksKnowTheMetaserver() throws IOException {
    Path secret = secret();
    String none = root.resolve("none").toString();
    assertThat(line.execute("env", "--dir", none, "--secret-file", secret.toString())).isZero();
    String key = ServerKey.of(ClusterSecret.read("secret", secret)).publicText();
    assertThat(out.toString())
        .contains("<name>sailfish.metaserver.public.key</name><value>" + key + "</value>")
        .contains("<name>mapreduce.shuffle-key-length</name><value>256</value>");
  }

  @Test
  void printsATicketForOneJobAndUser() throws IOException {
    Path secret = secret();
    String[] ticket = {"ticket", "--secret-file", secret.toString(), "--user", "ada", "job"};
    long beforeMs = System.currentTimeMillis();
    assertThat(line.execute(ticket)).isZero();
    Ticket printed = JobTicket.parse(out.toString());
    assertThat(JobTicket.isGenuine(ClusterSecret.read("secret", secret), "job", printed)).isTrue();
    assertThat(printed.getUser()).isEqualTo("ada");
    assertThat(printed.getExpiryMs()).isBetween(beforeMs + 3_600_000, beforeMs + 3_660_000);
    String[] wrong = {"ticket", "--secret-file", secret.toString(), "--user", "ada", "a/b"};
    assertThat(line.execute(wrong)).isEqualTo(1);
    assertThat(line.execute("ticket", "job")).as("without a user").isEqualTo(2);
  }
}

package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.yarn.KerberizedCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pig and Hive on a Kerberized YARN: their jobs are admitted by the tokens that their clients get
 * from the metaserver, and give what they give with stock in one JVM.
 */
@Tag("long")
class KerberosProgramsTest {
  private static final Duration COMMAND = Duration.ofMinutes(1);

  @TempDir private static Path temporary;
  private static KerberizedCluster cluster;
  private static EdgeNode stock;
  private static EdgeNode sailfish;

  @BeforeAll
  static void start() throws Exception {
    Path in = Files.createDirectory(temporary.resolve("in"));
    Tables.write(in);
    cluster = KerberizedCluster.start(temporary);
    String env = cluster.user().succeed(COMMAND, "env").output();
    stock = node("stock", env, Mode.STOCK, in);
    // The stock shuffle cannot run securely without Hadoop's native library.
    stock.override(
        Map.of(
            "hadoop.security.authentication", "simple", "mapreduce.job.hdfs-servers", "file:///"));
    sailfish = node("sailfish", env, Mode.PLUGIN, in);
  }

  private static EdgeNode node(String name, String env, Mode mode, Path in) throws Exception {
    EdgeNode node =
        EdgeNode.create(temporary.resolve(name), cluster.conf(), env, mode, Version.OWN);
    Map<String, String> environment = new HashMap<>(Commands.environment(in));
    environment.putAll(cluster.environment());
    // Clients get tokens of the metaserver with it.
    Path root = SailfishCommand.projectRoot();
    Path jar = root.resolve("hadoop-plugin/cli/target/dist/client/sailfish-client.jar");
    environment.put("HADOOP_CLASSPATH", jar.toString());
    node.set(environment);
    return node;
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void shouldRunPig() throws Exception {
    compare(Program.of(Program.directory("pig/nested-order-limit.pig"), ".pig"), Commands.pig());
  }

  @Test
  void shouldRunHive() throws Exception {
    compare(Program.of(Program.directory("hive-command.sql"), ".sql"), Commands.hive());
  }

  private static void compare(Program program, Comparison.Runner runner) throws Exception {
    Path theirs = Files.createTempDirectory(temporary, "stock-");
    Path ours = Files.createTempDirectory(temporary, "sailfish-");
    runner.run(program, stock, theirs);
    runner.run(program, sailfish, ours);
    ProgramOutput expected = ProgramOutput.of(theirs).sorted();
    assertThat(expected.isEmpty()).isFalse();
    assertThat(ProgramOutput.of(ours).sorted().differenceFrom(expected)).isEmpty();
    assertThat(Files.readString(temporary.resolve("cluster/logs/metaserver.log")))
        .contains("delegation token issued: owner=" + System.getProperty("user.name"));
  }
}

package dev.sailfish.system.yarn.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.NamedProcess;
import dev.sailfish.jobs.KeyKind;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.WarmTasks;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.StockOutput;
import dev.sailfish.testkit.ScratchDirectory;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node goes while its JVMs run their second task or a later one. YARN takes their containers
 * back, which Hadoop's part of the ApplicationMaster knows by the tasks that they were started for.
 */
@Seeded
@Tag("long")
class WarmNodeLossTest {
  private static final Path WORK = Path.of("target/warm-node-loss").toAbsolutePath();
  private static final int MAPS = 24;
  private static final int MAP_MS = 6_000;
  private static final Duration UNTIL_LATER_ATTEMPTS = Duration.ofMinutes(2);

  /** A job that waits for the lost node's attempts for ever is still there then. */
  private static final Duration JOB = Duration.ofMinutes(5);

  private static ChaosCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    ScratchDirectory.delete(WORK);
    Files.createDirectories(WORK);
    cluster = ChaosCluster.start(WORK);
  }

  @AfterAll
  static void nothingShouldBeLeft() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void attemptsOfTheLostNodeShouldRunElsewhere(Seed seed) throws Exception {
    RandomJobSpec spec = spec(seed.splittable());
    Path output = WORK.resolve("output");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<SailfishCommand.Result> job =
          thread.submit(() -> cluster.sailfish().run(JOB, command(spec, output)));
      String host =
          await()
              .atMost(UNTIL_LATER_ATTEMPTS)
              .until(WarmNodeLossTest::hostOfLaterAttempt, Optional::isPresent)
              .orElseThrow();
      cluster.killHost(host);
      SailfishCommand.Result result = job.get();
      assertThat(result.exitCode()).as("%s of %s: %s", spec, host, result.output()).isZero();
    } finally {
      thread.shutdownNow();
    }
    assertThat(OutputFiles.read(output)).isEqualTo(StockOutput.of(spec, WORK.resolve("stock")));
    cluster.awaitClean();
  }

  /** One without the ApplicationMaster, so that the same one goes on. */
  private static Optional<String> hostOfLaterAttempt() {
    List<String> masters =
        cluster.containers().masters().stream()
            .flatMap(master -> cluster.host(master.process()).stream())
            .toList();
    return cluster.containers().laterAttempts().stream()
        .map(NamedProcess::process)
        .flatMap(process -> cluster.host(process).stream())
        .filter(host -> !masters.contains(host))
        .findFirst();
  }

  private static RandomJobSpec spec(SplittableRandom random) {
    while (true) {
      RandomJobSpec spec = RandomJobSpec.ofSeed(random.nextLong());
      boolean some = spec.recordsPerMap() > 0 && spec.largestValue() < 1 << 20;
      // Java's serialization is not isolated.
      if (spec.maps() == MAPS && some && spec.keyKind() != KeyKind.JAVA_STRING) {
        return spec;
      }
    }
  }

  private static List<String> command(RandomJobSpec spec, Path output) throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "--shuffle", "sailfish"));
    Map<String, String> settings =
        Map.of(
            WarmTasks.KEY,
            "isolated",
            RandomJobSpec.MAP_MS,
            Integer.toString(MAP_MS),
            "mapreduce.map.memory.mb",
            "1024",
            "mapreduce.reduce.memory.mb",
            "1024",
            "mapreduce.map.java.opts",
            "-Xmx820m",
            "mapreduce.reduce.java.opts",
            "-Xmx820m",
            "sailfish.metaserver.address",
            cluster.metaserverAddress());
    ReduceWork.FIXED.configuration().forEach((key, value) -> command.add(option(key, value)));
    settings.forEach((key, value) -> command.add(option(key, value)));
    command.add(SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    command.addAll(
        List.of("dev.sailfish.jobs.RandomJobMain", Long.toString(spec.seed()), output.toString()));
    return command;
  }

  private static String option(String key, String value) {
    return "-D" + key + "=" + value;
  }
}

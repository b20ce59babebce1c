package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unchanged jobs on real YARN give the output of stock. */
class YarnJobsTest {
  @TempDir static Path temporary;
  private static YarnCluster cluster;
  private static SortedMap<String, String> stockWordCount;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = YarnCluster.start(temporary);
  }

  @AfterAll
  static void stopCluster() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @AfterEach
  void everyJobShouldBeGone() throws Exception {
    cluster.awaitNoJob();
  }

  private static List<String> wordCount() throws IOException {
    return List.of("wordcount", cluster.text().toString());
  }

  /** Two reduces of the same words as stock makes them, which several tests compare with. */
  private SortedMap<String, String> stockWordCount() throws Exception {
    if (stockWordCount == null) {
      Path output = temporary.resolve("wordcount-stock");
      cluster.run("stock", cluster.examples(), wordCount(), output, YarnCluster.TWO_REDUCES);
      stockWordCount = OutputFiles.read(output);
    }
    return stockWordCount;
  }

  @Test
  void wordCountShouldEqualStock() throws Exception {
    Path output = temporary.resolve("wordcount-sailfish");
    cluster.run("sailfish", cluster.examples(), wordCount(), output, YarnCluster.TWO_REDUCES);
    assertThat(OutputFiles.read(output)).isNotEmpty().isEqualTo(stockWordCount());
  }

  /** All tasks run in the ApplicationMaster, where map output is handed over as local files. */
  @Test
  void uberJobShouldEqualStock() throws Exception {
    String printed =
        cluster.compare(
            cluster.examples(),
            "uber",
            wordCount(),
            List.of(
                "-Dmapreduce.job.ubertask.enable=true",
                "-Dmapreduce.job.reduces=1",
                "-Dmapreduce.map.memory.mb=512",
                "-Dmapreduce.reduce.memory.mb=512"));
    assertThat(printed).contains("running in uber mode : true");
  }

  /** Where one of the two classes is another one, both sides do as stock does, and say why. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "mapreduce.job.map.output.collector.class=org.apache.hadoop.mapred.MapTask$MapOutputBuffer",
        "mapreduce.job.reduce.shuffle.consumer.plugin.class"
            + "=org.apache.hadoop.mapreduce.task.reduce.Shuffle"
      })
  void jobWithOneOfTheTwoClassesShouldEqualStock(String setting) throws Exception {
    Path output = temporary.resolve("one-of-two-" + Math.abs(setting.hashCode()));
    List<String> settings = new ArrayList<>(YarnCluster.TWO_REDUCES);
    settings.add("-D" + setting);
    cluster.run("sailfish", cluster.examples(), wordCount(), output, settings);
    assertThat(OutputFiles.read(output)).isNotEmpty().isEqualTo(stockWordCount());
    assertThat(cluster.containerLogs())
        .contains("local files")
        .contains(setting + " and not dev.sailfish");
  }

  @Test
  void teraSortShouldEqualStockAndBeValid() throws Exception {
    Path input = temporary.resolve("teragen");
    cluster.succeed(
        "jar",
        "-Dmapreduce.job.maps=3",
        cluster.examples().toString(),
        "teragen",
        "300000",
        input.toString());
    cluster.compare(
        cluster.examples(),
        "terasort",
        List.of("terasort", input.toString()),
        List.of("-Dmapreduce.job.reduces=2", "-Dfs.file.impl.disable.cache=true"));
    Path report = temporary.resolve("teravalidate");
    cluster.succeed(
        "jar",
        cluster.examples().toString(),
        "teravalidate",
        temporary.resolve("terasort-sailfish").toString(),
        report.toString());
    assertThat(OutputFiles.read(report).toString()).contains("checksum").doesNotContain("error");
  }

  @Test
  void randomJobsShouldEqualStock() throws Exception {
    new YarnRandomJobs(cluster, temporary).shouldEqualStock(2, false);
  }

  @Test
  @Tag("long")
  void manyRandomJobsShouldEqualStock() throws Exception {
    new YarnRandomJobs(cluster, temporary).shouldEqualStock(20, false);
  }
}

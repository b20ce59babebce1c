package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.system.OutputFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unchanged jobs on real YARN give the output of stock. */
class YarnJobsTest extends YarnTest {
  private static SortedMap<String, String> stockWordCount;

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

  /** A reduce task of a job that has ended gives the same bytes once more, and then all is gone. */
  @Test
  void keptReduceTaskShouldRunAgain() throws Exception {
    Path output = temporary.resolve("wordcount-kept");
    List<String> settings = new ArrayList<>(YarnCluster.TWO_REDUCES);
    settings.add("-Dsailfish.keep.ifiles=10min");
    cluster.run("sailfish", cluster.examples(), wordCount(), output, settings);
    String kept =
        await()
            .atMost(Duration.ofMinutes(2))
            .until(
                () -> cluster.succeed("ifile", "ls").output(), text -> text.contains(", kept for"));
    Matcher job = Pattern.compile("(?m)^(job_\\S+) .* ended, kept for").matcher(kept);
    assertThat(job.find()).as(kept).isTrue();
    assertThat(job.find()).as("only one is kept: %s", kept).isFalse();
    job.reset().find();
    String jar = cluster.examples().toString();
    String printed =
        cluster.succeed("reduce", "--job", job.group(1), "--task", "1", "--jar", jar).output();
    assertThat(printed).contains("with the same bytes as in file:" + output + ": 1");
    SortedMap<String, String> again =
        OutputFiles.read(temporary.resolve("wordcount-kept-reduce-task-1"));
    assertThat(again).containsOnlyKeys("part-r-00001");
    assertThat(again.get("part-r-00001"))
        .isEqualTo(OutputFiles.read(output).get("part-r-00001"))
        .isNotEmpty();
    assertThat(cluster.succeed("ifile", "scan", job.group(1), "1", "--limit", "1").output().strip())
        .as("the first record that this task has read")
        .startsWith(again.get("part-r-00001").split("\t", 2)[0]);
    cluster.succeed("ifile", "drop", job.group(1));
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

package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs on real YARN whose ApplicationMaster is Sailfish's. */
class ApplicationMasterTest extends YarnTest {
  private static int jobs;

  private static List<String> wordCount() throws IOException {
    return List.of("wordcount", cluster.text().toString());
  }

  /** The output of a word count, by file. */
  private static SortedMap<String, String> count(String shuffle, List<String> settings)
      throws Exception {
    Path output = temporary.resolve("count-" + ++jobs);
    cluster.run(shuffle, cluster.examples(), wordCount(), output, settings);
    return OutputFiles.read(output);
  }

  private static String inOrder(SortedMap<String, String> output) {
    return String.join("", output.values());
  }

  /** What a job asks for it gets, in order: in both modes the whole output is that of stock. */
  @Test
  void reduceWorkShouldBeAsTheJobOrItsDataSays() throws Exception {
    List<String> four = List.of("-Dmapreduce.job.reduces=4");
    SortedMap<String, String> stock = count("stock", four);
    List<String> fixed = new ArrayList<>(four);
    fixed.addAll(List.of("--reduce-work", "fixed"));
    assertThat(count("sailfish", fixed)).isEqualTo(stock);
    assertThat(cluster.containerLogs())
        .contains("Reduce work: fixed: as many reduce tasks as the job asks for");

    List<String> auto = new ArrayList<>(four);
    auto.addAll(List.of("--reduce-work", "auto"));
    SortedMap<String, String> together = count("sailfish", auto);
    assertThat(together).hasSize(1);
    assertThat(inOrder(together)).isEqualTo(inOrder(stock));
  }

  /** Its one partition is split by key: the files are in total order. */
  @Test
  void jobWithoutANumberOfReducesShouldBeSplit() throws Exception {
    Path input = temporary.resolve("teragen");
    Path jar = cluster.examples();
    cluster.succeed("jar", jar.toString(), "teragen", "50000", input.toString());
    List<String> sort = List.of("terasort", input.toString());
    Path stock = temporary.resolve("terasort-stock");
    Path ours = temporary.resolve("terasort-split");
    List<String> noCache = List.of("-Dfs.file.impl.disable.cache=true");
    cluster.run("stock", jar, sort, stock, noCache);
    List<String> auto = new ArrayList<>(noCache);
    auto.addAll(List.of("--reduce-work", "auto", "-Dsailfish.reduce.work.target=1m"));
    cluster.run("sailfish", jar, sort, ours, auto);
    assertThat(OutputFiles.read(stock)).hasSize(1);
    assertThat(OutputFiles.read(ours)).hasSizeBetween(5, 10);
    assertThat(inOrder(OutputFiles.read(ours))).isEqualTo(inOrder(OutputFiles.read(stock)));
  }

  /** What a person sees of such a job, while it runs and afterwards. */
  @Test
  void commandShouldShowHowFarTheJobIsAndItsPlan() throws Exception {
    List<String> settings =
        List.of("-Dmapreduce.job.reduces=4", "--reduce-work", "auto", "--progress", "on");
    Path output = temporary.resolve("shown");
    String printed =
        cluster.run("sailfish", cluster.examples(), wordCount(), output, settings).output();
    Matcher plan =
        Pattern.compile("(?m)^(job_\\d+_\\d+): Reduce work: (4 partitions, .*)$").matcher(printed);
    assertThat(plan.find()).as(printed).isTrue();
    String job = plan.group(1);
    assertThat(printed)
        .containsPattern("(?m)^" + job + ": maps \\d/2, .*reduces 0/4$")
        .containsPattern("(?m)^" + job + ": maps \\d/2, .* appended, chunks sorted .*reduces \\d/")
        .contains("map 100% reduce 100%");

    assertThat(cluster.succeed("plan", "show", job, "--stored", "--short").output().strip())
        .isEqualTo(plan.group(2));
    Result replay = cluster.run(List.of("plan", "replay", job));
    assertThat(replay.exitCode()).isEqualTo(1);
    assertThat(replay.output()).contains("used: " + plan.group(2)).contains("knows no such job");
    assertThat(cluster.run(List.of("plan", "show", "job_1_0001", "--stored")).output())
        .contains("There is no plan of job_1_0001 in ")
        .contains("/plans/job_1_0001.plan");
  }

  @Test
  void jobThatSetsTheOptionsItselfShouldRunWithHadoopsOwn() throws Exception {
    SortedMap<String, String> stock = count("stock", YarnCluster.TWO_REDUCES);
    List<String> settings = new ArrayList<>(YarnCluster.TWO_REDUCES);
    settings.add("-Dyarn.app.mapreduce.am.command-opts=-Xmx700m");
    settings.add("-Dsailfish.reduce.work=auto");
    Path output = temporary.resolve("own-options");
    assertThat(cluster.run("sailfish", cluster.examples(), wordCount(), output, settings).output())
        .contains("sailfish: sailfish.reduce.work=auto has no effect");
    assertThat(OutputFiles.read(output)).isEqualTo(stock);
    assertThat(cluster.containerLogs()).contains("no plan of a Sailfish ApplicationMaster");
  }

  @Test
  @Tag("long")
  void manyRandomJobsShouldGiveTheRecordsOfStockInTheirOrder() throws Exception {
    new YarnRandomJobs(cluster, temporary).shouldEqualStock(20, true);
  }
}

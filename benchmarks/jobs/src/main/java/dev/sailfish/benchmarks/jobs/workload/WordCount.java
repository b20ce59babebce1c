package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Hadoop's example with its combiner, over real text: a job that reduces its data in the map tasks,
 * which is the paper's losing case (LogCount, Sailfish §6.3.2). Outputs of all runs must be equal,
 * byte for byte.
 */
public final class WordCount implements BenchWorkload {
  private final BenchPlan plan;
  private final Distribution distribution;
  private final Path corpus;
  private final Path input;
  private final Path output;
  private final int distinct;
  private Path first;

  /**
   * @param distinct how many words the text is reduced to; 0 leaves it as it is
   */
  public WordCount(BenchPlan plan, Distribution distribution, ClusterLayout layout, int distinct) {
    this.plan = plan;
    this.distribution = distribution;
    this.distinct = distinct;
    corpus = layout.demo().resolve("corpus");
    Path directory = layout.data().resolve("bench");
    String size = plan.mb() + "mb-" + plan.maps() + "-files-" + distinct + "-words";
    input = directory.resolve("text-" + size);
    output = directory.resolve("wordcount-" + ProcessHandle.current().pid());
  }

  @Override
  public String label() {
    return "wordcount of " + (distinct == 0 ? "all" : distinct) + " words";
  }

  @Override
  public void prepare(MeasuredRunner runner) {
    Corpus.unpack(JobJars.of(distribution).corpus(), corpus);
    if (!Files.exists(input)) {
      Text.write(corpus, input, plan.maps(), plan.mb() * 1_000_000L, distinct);
    }
  }

  @Override
  public JobRequest request(Contender contender, int round) {
    Map<String, String> configuration = new HashMap<>(plan.configuration(contender));
    configuration.put("mapreduce.job.reduces", Integer.toString(plan.reduces()));
    configuration.put(
        "mapreduce.input.fileinputformat.split.minsize", Long.toString(Long.MAX_VALUE));
    return new JobRequest(
        JobJars.of(distribution).examples(),
        List.of("wordcount", input.toString(), output(contender, round).toString()),
        configuration);
  }

  private Path output(Contender contender, int round) {
    return output.resolve(contender.label() + "-" + round);
  }

  @Override
  public boolean isRight(
      Contender contender, int round, Measurement measurement, MeasuredRunner runner) {
    Path result = output(contender, round);
    if (first == null) {
      first = result;
      return true;
    }
    return OutputComparison.compare(first, result).equal();
  }

  @Override
  public void clean() {
    Directories.delete(output);
  }
}

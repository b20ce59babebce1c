package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.localcluster.ClusterLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Hadoop's example with its combiner, over real text: a job that reduces its data in the map tasks,
 * which is the paper's losing case (LogCount, Sailfish §6.3.2).
 */
public final class WordCount extends FileJob {
  private final JobJars jars;
  private final Path corpus;
  private final int distinct;

  /**
   * @param distinct how many words the text is reduced to; 0 leaves it as it is
   */
  public WordCount(BenchPlan plan, JobJars jars, ClusterLayout layout, int distinct) {
    super(
        plan,
        "wordcount of " + (distinct == 0 ? "all" : distinct) + " words",
        jars.examples(),
        "wordcount",
        layout.bench("text-%dmb-%d-files-%d-words".formatted(plan.mb(), plan.maps(), distinct)),
        layout.bench("wordcount-" + ProcessHandle.current().pid()));
    this.jars = jars;
    this.distinct = distinct;
    corpus = layout.corpus();
  }

  @Override
  public void prepare(MeasuredRunner runner) throws IOException {
    if (!Files.exists(input())) {
      Corpus.unpack(jars.corpus(), corpus);
      Text.write(corpus, input(), plan().maps(), plan().mb() * 1_000_000L, distinct);
    }
  }
}

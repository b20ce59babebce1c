package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.workload.TextPipeline;
import java.util.function.Consumer;

/**
 * A contender.
 *
 * @param contender which one
 * @param place where its files are
 * @param jobs what it runs
 */
public record PipelineEntry(PipelineContender contender, PipelinePlace place, TextPipeline jobs) {
  /** Name of the text, also of the directory that it is taken from. */
  public static final String TEXT = "text";

  /** Name of the text of some words. */
  public static final String NULL_TEXT = "null-text";

  /** Where a batch leaves its words. */
  String words(String batch) {
    return place.base() + "/words/" + batch;
  }

  /** Below which a batch leaves what it cleans. */
  String cleaned(String batch) {
    return place.base() + "/cleaned/" + batch;
  }

  /**
   * Cleans a text.
   *
   * @param ended is told each job that has ended, as {@link MeasuredRunner#metrics} knows it
   * @return where the clean text is
   */
  String clean(MeasuredRunner runner, String text, String batch, Consumer<String> ended) {
    String from = place.base() + "/" + text;
    for (int number = 1; number <= TextPipeline.CLEANING_JOBS; number++) {
      String to = cleaned(batch) + "/" + number;
      ended.accept(runner.runUnmeasured(batch + "-clean-" + number, jobs.clean(number, from, to)));
      from = to;
    }
    return from;
  }
}

package dev.sailfish.benchmarks.jobs.recovery;

import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.client.JobRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Three of Hadoop's example jobs as they are: the words of a text are counted, sorted, and it is
 * counted how many words occur how often.
 *
 * @param examples jar of Hadoop's examples
 * @param text URI of the directory that the first job reads
 * @param results URI of the directory that gets the output directories, in any file system
 * @param keys of the jobs' configuration
 */
record JobChain(Path examples, String text, String results, Map<String, String> keys) {
  /** Of each job: with two, each of two workers has files of each. */
  private static final int REDUCES = 2;

  private static final String TEXT = "org.apache.hadoop.io.Text";
  private static final String FORMATS = "org.apache.hadoop.mapreduce.lib.";

  private static final String SHORT_LIVED = " -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  /** What makes small jobs shorter, wherever they write. */
  private static final Map<String, String> SHORT =
      Map.of(
          "mapreduce.job.reduces",
          Integer.toString(REDUCES),
          "mapreduce.client.completion.pollinterval",
          "200",
          "yarn.app.mapreduce.am.command-opts",
          "-Xmx768m" + SHORT_LIVED,
          "mapreduce.map.java.opts",
          "-Xmx1g" + SHORT_LIVED,
          "mapreduce.reduce.java.opts",
          "-Xmx1g" + SHORT_LIVED);

  /** One of the jobs; its name is that of its output directory. */
  enum Step {
    COUNTS,
    SORTED,
    FREQUENCIES;

    /** The output directory's name. */
    String directory() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  JobChain {
    keys = Map.copyOf(keys);
  }

  /** Where a job writes. */
  String output(Step step) {
    return results + "/" + step.directory();
  }

  private List<String> arguments(Step step) {
    return switch (step) {
      case COUNTS -> List.of("wordcount", text, output(step));
      case SORTED ->
          List.of(
              "sort",
              "-r",
              Integer.toString(REDUCES),
              "-inFormat",
              FORMATS + "input.KeyValueTextInputFormat",
              "-outFormat",
              FORMATS + "output.TextOutputFormat",
              "-outKey",
              TEXT,
              "-outValue",
              TEXT,
              output(Step.COUNTS),
              output(step));
      case FREQUENCIES -> List.of("wordcount", output(Step.SORTED), output(step));
    };
  }

  /**
   * Runs them one after the other.
   *
   * @param label names their clients' logs
   * @param progress receives a line for each job
   * @return what was measured of each
   * @throws CommandException one fails
   */
  List<JobMetrics> run(MeasuredRunner runner, String label, Consumer<String> progress) {
    List<JobMetrics> jobs = new ArrayList<>();
    Map<String, String> all = new HashMap<>(SHORT);
    all.putAll(keys);
    for (Step step : Step.values()) {
      String name = label + "-" + step.directory();
      Measurement measured = runner.run(name, new JobRequest(examples, arguments(step), all));
      if (!measured.succeeded()) {
        throw new CommandException(
            "The job %s failed with exit code %d; its client's log is logs/client-%1$s.log."
                .formatted(name, measured.exitCode()));
      }
      jobs.add(measured.job());
      progress.accept(
          String.format(
              Locale.ROOT,
              "  %s writes %s in %.1f s",
              arguments(step).get(0),
              output(step),
              measured.job().wallSeconds()));
    }
    return jobs;
  }
}

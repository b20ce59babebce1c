package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The jobs of Tachyon's pipeline (§7.2): two that take lines out of a text, one after the other,
 * and one that counts the words of what is left. In whichever file systems.
 *
 * @param plan how much, and with how many tasks; its contenders are not looked at
 * @param contender how the jobs run
 * @param jars where the jobs are
 * @param keys of the jobs' configuration
 */
public record TextPipeline(
    BenchPlan plan, Contender contender, JobJars jars, Map<String, String> keys) {
  private static final String LINES = "dev.sailfish.benchmarks.jobs.mapreduce.MatchingLinesJob";

  /** Lines with a letter, then those that are no comment. */
  private static final List<String> PATTERNS = List.of("[A-Za-z]", "^\\s*[^\\s/*]");

  /** How many jobs clean the text before its words are counted. */
  public static final int CLEANING_JOBS = PATTERNS.size();

  public TextPipeline {
    keys = Map.copyOf(keys);
  }

  private Map<String, String> configuration() {
    Map<String, String> all = new HashMap<>(plan.fileConfiguration(contender));
    all.putAll(keys);
    return all;
  }

  /**
   * Takes lines out.
   *
   * @param number of the job, from 1
   */
  public JobRequest clean(int number, String from, String to) {
    return new JobRequest(
        jars.own(), List.of(LINES, from, to, PATTERNS.get(number - 1)), configuration());
  }

  /** Counts words: Hadoop's example. */
  public JobRequest count(String from, String to) {
    return new JobRequest(jars.examples(), List.of("wordcount", from, to), configuration());
  }

  /**
   * Writes the text, one file for each map task.
   *
   * @param directory is created, complete or not at all; nothing happens if it is there
   * @param bytes of all files
   */
  public void text(ClusterLayout layout, Path directory, long bytes) throws IOException {
    if (!Files.exists(directory)) {
      Corpus.unpack(jars.corpus(), layout.corpus());
      Text.write(layout.corpus(), directory, plan.maps(), bytes, 0);
    }
  }
}

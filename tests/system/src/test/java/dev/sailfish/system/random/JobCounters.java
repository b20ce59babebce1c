package dev.sailfish.system.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.TaskCounter;

/**
 * Counters of a job under Sailfish beside those of stock. Equal by definition are those of {@link
 * #EQUAL}; what a reducer is given is equal too unless a combiner ran, which may run as often as it
 * likes, but takes out as many records as map output and reduce input differ by. How bytes are
 * stored, spilled and merged is each shuffle's own.
 */
final class JobCounters {
  private static final TaskCounter[] EQUAL = {
    TaskCounter.MAP_INPUT_RECORDS,
    TaskCounter.MAP_OUTPUT_RECORDS,
    TaskCounter.MAP_OUTPUT_BYTES,
    TaskCounter.REDUCE_INPUT_GROUPS,
    TaskCounter.REDUCE_OUTPUT_RECORDS,
    TaskCounter.SHUFFLED_MAPS,
  };

  private JobCounters() {}

  /**
   * Compares.
   *
   * @param attempts of the job under Sailfish; of a task the last one counts
   */
  static void check(RandomJobSpec spec, Counters stock, Map<TaskAttemptID, Counters> attempts) {
    Map<TaskID, Counters> winners = new TreeMap<>();
    new TreeMap<>(attempts).forEach((attempt, own) -> winners.put(attempt.getTaskID(), own));
    Counters ours = new Counters();
    winners.values().forEach(ours::incrAllCounters);
    for (TaskCounter counter : EQUAL) {
      assertThat(ours.getCounter(counter))
          .as("%s of %s", counter, spec)
          .isEqualTo(stock.findCounter(counter).getValue());
    }
    if (!spec.combined()) {
      assertThat(ours.getCounter(TaskCounter.REDUCE_INPUT_RECORDS))
          .as("REDUCE_INPUT_RECORDS of %s", spec)
          .isEqualTo(stock.findCounter(TaskCounter.REDUCE_INPUT_RECORDS).getValue());
    }
    checkOwn(spec, ours);
    long materialized =
        attempts.values().stream()
            .mapToLong(own -> own.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES))
            .sum();
    // The last attempt may have found all partitions held.
    assertThat(materialized > 0)
        .as("MAP_OUTPUT_MATERIALIZED_BYTES of %s", spec)
        .isEqualTo(ours.getCounter(TaskCounter.MAP_OUTPUT_RECORDS) > 0);
  }

  /** What holds among the counters of one job. */
  private static void checkOwn(RandomJobSpec spec, Counters ours) {
    long mapOutput = ours.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    long combined =
        ours.getCounter(TaskCounter.COMBINE_INPUT_RECORDS)
            - ours.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
    assertThat(combined).as("records combined of %s", spec).isGreaterThanOrEqualTo(0);
    if (spec.habits().patience() == 0) {
      assertThat(ours.getCounter(TaskCounter.REDUCE_INPUT_RECORDS))
          .as("REDUCE_INPUT_RECORDS of %s", spec)
          .isEqualTo(mapOutput - combined);
    }
    assertThat(ours.getCounter(TaskCounter.MERGED_MAP_OUTPUTS))
        .as("MERGED_MAP_OUTPUTS of %s", spec)
        .isLessThanOrEqualTo(ours.getCounter(TaskCounter.SHUFFLED_MAPS));
    assertThat(ours.getCounter(TaskCounter.REDUCE_SHUFFLE_BYTES) > 0)
        .as("REDUCE_SHUFFLE_BYTES of %s", spec)
        .isEqualTo(mapOutput > 0);
    assertThat(ours.getCounter(TaskCounter.FAILED_SHUFFLE))
        .as("FAILED_SHUFFLE of %s", spec)
        .isZero();
  }
}

package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.io.IOException;
import java.util.TreeMap;
import org.apache.hadoop.io.Text;

/** GROUP BY: the visits of each user. */
final class UserVisits {
  private static final String COUNTER_GROUP = "Partitions";
  private static final int USER = 0;
  private static final int TIME = 1;
  private static final int LAST = 7;

  private UserVisits() {}

  /** A user and all other fields of the visit. */
  public static final class Visits extends LineMapper.ToText {
    @Override
    void records(Context context) throws IOException, InterruptedException {
      key(USER, USER);
      value(TIME, LAST);
      emit(context);
    }
  }

  /** How many visits, and what they were. */
  public static final class Groups extends GroupReducer<Text> {
    private final TreeMap<Integer, Long> bytes = new TreeMap<>();

    @Override
    void group(Text user, Iterable<Text> visits) {
      long all = 0;
      long number = 0;
      long length = 0;
      for (Text visit : visits) {
        all += seen(visit);
        number++;
        length += user.getLength() + visit.getLength();
      }
      bytes.merge(partition(), length, Long::sum);
      result(RecordHash.of(keyHash(), RecordHash.of(number, all)));
    }

    @Override
    protected void cleanup(Context context) {
      super.cleanup(context);
      bytes.forEach(
          (partition, sum) -> {
            context
                .getCounter(COUNTER_GROUP, PaperJob.BYTES_OF_PARTITION + partition)
                .increment(sum);
            context.getCounter(COUNTER_GROUP, PaperJob.TASKS_OF_PARTITION + partition).increment(1);
          });
    }
  }
}

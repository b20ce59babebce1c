package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;

/** COUNT: how often each page was visited, summed up by a combiner first. */
final class PageCount {
  private static final int PAGE = 2;

  private PageCount() {}

  /** A one for each visit of a page. */
  public static final class Visits extends LineMapper<LongWritable> {
    private final LongWritable one = new LongWritable(1);

    @Override
    void records(Context context) throws IOException, InterruptedException {
      key(PAGE, PAGE);
      emit(one, keyHash(), context);
    }
  }

  /** The visits of each page. */
  public static final class Counts extends GroupReducer<LongWritable> {
    @Override
    void group(Text page, Iterable<LongWritable> counts) {
      long visits = 0;
      for (LongWritable count : counts) {
        visits += count.get();
        seen(count.get());
      }
      result(RecordHash.of(keyHash(), visits));
    }
  }
}

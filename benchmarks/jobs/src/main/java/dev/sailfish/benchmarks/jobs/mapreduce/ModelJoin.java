package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;

/** JOIN: the models over N days with those of one day, by user. */
final class ModelJoin {
  private static final int USER = 0;
  private static final int DATA_SET = 1;
  private static final int LAST = 2;

  private ModelJoin() {}

  /** A user and a model of either data set. */
  public static final class Models extends LineMapper.ToText {
    @Override
    void records(Context context) throws IOException, InterruptedException {
      key(USER, USER);
      value(DATA_SET, LAST);
      emit(context);
    }
  }

  /** Each model over N days with each over one day; users who have but one of them are left out. */
  public static final class Join extends GroupReducer<Text> {
    @Override
    void group(Text user, Iterable<Text> models) {
      List<Long> overDays = new ArrayList<>();
      List<Long> ofOneDay = new ArrayList<>();
      for (Text model : models) {
        (model.charAt(0) == 'n' ? overDays : ofOneDay).add(seen(model));
      }
      for (long days : overDays) {
        for (long day : ofOneDay) {
          result(RecordHash.of(keyHash(), RecordHash.of(days, day)));
        }
      }
    }
  }
}

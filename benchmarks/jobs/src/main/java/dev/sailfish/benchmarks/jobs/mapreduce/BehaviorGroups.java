package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.io.IOException;
import org.apache.hadoop.io.Text;

/** COGROUP: the pages, queries and ads of each user. */
final class BehaviorGroups {
  private static final int USER = 0;
  private static final int PAGE = 1;
  private static final int AD = 3;
  private static final int CONTEXT = 4;
  private static final int LAST = 5;

  private BehaviorGroups() {}

  /** A record of each of page, query and ad, with the context of the event. */
  public static final class Events extends LineMapper.ToText {
    @Override
    void records(Context context) throws IOException, InterruptedException {
      key(USER, USER);
      for (int field = PAGE; field <= AD; field++) {
        value(field, field);
        append(CONTEXT, LAST);
        emit(context);
      }
    }
  }

  /** A model of each user, of what is in the three groups. */
  public static final class Models extends GroupReducer<Text> {
    @Override
    void group(Text user, Iterable<Text> events) {
      long pages = 0;
      long queries = 0;
      long ads = 0;
      for (Text event : events) {
        long hash = seen(event);
        switch (event.charAt(0)) {
          case 'p' -> pages += hash;
          case 'q' -> queries += hash;
          default -> ads += hash;
        }
      }
      long model = RecordHash.of(pages, RecordHash.of(queries, ads));
      result(RecordHash.of(keyHash(), model));
    }
  }
}

package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.Line;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;

/**
 * COGROUP, FLATTEN and FILTER: how a campaign does in each country, state and city; segments
 * without a click are left out.
 */
final class SegmentClicks {
  private static final int CAMPAIGN = 0;
  private static final int COUNTRY = 1;
  private static final int CITY = 3;
  private static final int TIME = 4;
  private static final int TOKEN = 6;
  private static final int KIND_AT = Line.TIME_BYTES + 1;

  private SegmentClicks() {}

  /** A record for the country, one for the state in it, one for the city in it. */
  public static final class Places extends LineMapper.ToText {
    @Override
    void records(Context context) throws IOException, InterruptedException {
      value(TIME, TOKEN);
      for (int level = COUNTRY; level <= CITY; level++) {
        key(CAMPAIGN, level);
        emit(context);
      }
    }
  }

  /** Each click, with all that was seen in its segment. */
  public static final class Segments extends GroupReducer<Text> {
    @Override
    void group(Text segment, Iterable<Text> events) {
      long seen = 0;
      List<Long> clicks = new ArrayList<>();
      for (Text event : events) {
        long hash = seen(event);
        if (event.charAt(KIND_AT) == 'c') {
          clicks.add(hash);
        } else {
          seen += hash;
        }
      }
      for (long click : clicks) {
        result(RecordHash.of(keyHash(), RecordHash.of(seen, click)));
      }
    }
  }
}

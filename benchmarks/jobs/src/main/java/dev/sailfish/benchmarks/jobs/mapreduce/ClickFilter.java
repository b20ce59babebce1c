package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.Line;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;

/** COGROUP and FILTER: clicks with the ads that their users saw before, without robots. */
final class ClickFilter {
  private static final int TIME = 0;
  private static final int USER = 2;
  private static final int CAMPAIGN = 3;
  private static final int LAST = 5;
  private static final int KIND_AT = Line.TIME_BYTES + 1;
  private static final String PERSON = "\tperson\t";

  private ClickFilter() {}

  /** A user and a campaign, and the whole line. */
  public static final class Ads extends LineMapper.ToText {
    @Override
    void records(Context context) throws IOException, InterruptedException {
      key(USER, CAMPAIGN);
      value(TIME, LAST);
      emit(context);
    }
  }

  /** Each click of a person on an ad that was seen. */
  public static final class Attributions extends GroupReducer<Text> {
    @Override
    void group(Text userAndCampaign, Iterable<Text> ads) {
      long viewed = 0;
      List<Long> clicks = new ArrayList<>();
      for (Text ad : ads) {
        long hash = seen(ad);
        if (ad.charAt(KIND_AT) == 'v') {
          viewed += hash;
        } else if (ad.find(PERSON) >= 0) {
          clicks.add(hash);
        }
      }
      if (viewed != 0) {
        for (long click : clicks) {
          result(RecordHash.of(keyHash(), RecordHash.of(viewed, click)));
        }
      }
    }
  }
}

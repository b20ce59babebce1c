package dev.sailfish.web.job;

import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.shuffle.Histogram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Between which keys the data of a partition is, and where it was split.
 *
 * @param bars in the order of the keys
 * @param splits where works of the partition begin, but the first
 * @param unsorted chunks that are not in the bars
 */
public record HistogramView(
    int partition,
    List<Histogram.Bar> bars,
    List<Split> splits,
    List<HeavyKey> heavyKeys,
    int unsorted) {
  /**
   * A work begins at a key, in printable form.
   *
   * @param bar the first bar whose keys are not below it; the number of bars: there is none
   */
  public record Split(String key, int work, int bar) {}

  /** A key with more bytes than the target, in printable form. */
  public record HeavyKey(String key, long bytes) {}

  /**
   * The histogram with what a plan says of the partition.
   *
   * @param plan null: there is none
   */
  public static HistogramView of(Histogram histogram, AmReport.Plan plan) {
    List<Split> splits = new ArrayList<>();
    List<HeavyKey> heavy = new ArrayList<>();
    if (plan != null) {
      for (AmReport.Work work : plan.works()) {
        if (work.first() == histogram.partition() && work.from() != null) {
          splits.add(new Split(work.from(), work.work(), bar(histogram.bars(), work.from())));
        }
      }
      for (AmReport.HeavyKey key : plan.heavyKeys()) {
        if (key.partition() == histogram.partition()) {
          heavy.add(new HeavyKey(key.key(), key.bytes()));
        }
      }
    }
    return new HistogramView(
        histogram.partition(), histogram.bars(), splits, heavy, histogram.unsorted());
  }

  private static int bar(List<Histogram.Bar> bars, String key) {
    byte[] border = PrintedKey.bytes(key);
    for (int i = 0; i < bars.size(); i++) {
      if (Arrays.compareUnsigned(PrintedKey.bytes(bars.get(i).key()), border) >= 0) {
        return i;
      }
    }
    return bars.size();
  }
}

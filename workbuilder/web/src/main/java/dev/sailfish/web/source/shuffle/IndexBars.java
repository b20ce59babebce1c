package dev.sailfish.web.source.shuffle;

import dev.sailfish.format.order.PrintableKey;
import dev.sailfish.format.tail.IndexSummary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes a histogram of the entries of indexes. For one thread. */
final class IndexBars {
  /** More would be narrower than a pixel or two. */
  static final int MOST = 96;

  /** A key with more than this part of the bytes is alone. */
  private static final int HEAVY_PART = 50;

  private final TreeMap<byte[], long[]> keys = new TreeMap<>(Arrays::compareUnsigned);

  /** Adds an entry; one without a key does not count. */
  void add(IndexSummary.Entry entry) {
    if (entry.key() != null) {
      long[] sum = keys.computeIfAbsent(entry.key(), key -> new long[2]);
      sum[0] += entry.rawBytes();
      sum[1] += entry.records();
    }
  }

  /**
   * About {@link #MOST} bars, each with as many different keys of the index as another; a key that
   * has much of the data is alone.
   */
  List<Histogram.Bar> bars() {
    long all = keys.values().stream().mapToLong(sum -> sum[0]).sum();
    int perBar = Math.max(1, (keys.size() + MOST - 1) / MOST);
    List<Histogram.Bar> bars = new ArrayList<>();
    Gathered gathered = new Gathered();
    for (Map.Entry<byte[], long[]> key : keys.entrySet()) {
      boolean heavy = key.getValue()[0] > all / HEAVY_PART;
      if (heavy || gathered.keys == perBar) {
        gathered.addTo(bars);
      }
      gathered.add(key.getKey(), key.getValue());
      if (heavy) {
        gathered.addTo(bars);
      }
    }
    gathered.addTo(bars);
    return bars;
  }

  /** Keys of one bar. */
  private static final class Gathered {
    private byte[] first;
    private int keys;
    private long bytes;
    private long records;

    private void add(byte[] key, long[] sum) {
      first = keys == 0 ? key : first;
      keys++;
      bytes += sum[0];
      records += sum[1];
    }

    private void addTo(List<Histogram.Bar> bars) {
      if (keys > 0) {
        bars.add(new Histogram.Bar(PrintableKey.of(first), bytes, records));
      }
      keys = 0;
      bytes = 0;
      records = 0;
    }
  }
}

package dev.sailfish.web.source.shuffle;

import java.util.List;

/**
 * Between which keys the data of a partition is, by the indexes of its sorted chunks.
 *
 * @param bars in the order of the keys' bytes
 * @param unsorted chunks that are not in it, as nobody has an index of them yet
 */
public record Histogram(int partition, List<Bar> bars, int unsorted) {
  /**
   * Some keys that follow each other.
   *
   * @param key the first of them, in printable form
   * @param bytes before compression, of winning and losing attempts alike
   */
  public record Bar(String key, long bytes, long records) {}
}

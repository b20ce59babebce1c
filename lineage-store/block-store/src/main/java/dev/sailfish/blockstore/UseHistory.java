package dev.sailfish.blockstore;

/**
 * When a segment was used, counted in uses of all segments of its owner. Kept over moves. Uses at
 * the same moment may count as one: it is an estimate for {@link EvictionOrder}. Thread-safe.
 */
public final class UseHistory {
  /** So many uses of all segments later, a use counts half. */
  private static final double HALF_LIFE = 10_000;

  private volatile long last;
  private volatile long before;

  /** log2 of the sum of 2^(use / HALF_LIFE) over all uses: comparable at any moment. */
  private volatile double weight = Double.NEGATIVE_INFINITY;

  UseHistory() {}

  void used(long number) {
    before = last;
    last = number;
    double added = number / HALF_LIFE;
    double larger = Math.max(weight, added);
    double smaller = Math.min(weight, added);
    weight = larger + Math.log1p(Math.pow(2, smaller - larger)) / Math.log(2);
  }

  /** The last use; larger for what was used later. */
  public long last() {
    return last;
  }

  /** The use before the last one; 0 if there was none. */
  public long before() {
    return before;
  }

  /**
   * How often it was used, of late more than long ago (LRFU: Lee and others, 2001); comparable with
   * that of other segments of the owner.
   */
  public double weight() {
    return weight;
  }
}

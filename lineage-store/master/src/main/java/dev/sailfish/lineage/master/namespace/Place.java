package dev.sailfish.lineage.master.namespace;

/**
 * Where a copy of a block is, in one number:
 *
 * <pre>
 *   31   30               2   1    0
 *   0    worker, from 1       tier        0 memory, 1 solid-state disk, 2 hard disk
 * </pre>
 */
public final class Place {
  /** The largest number of a worker. */
  public static final int LAST_WORKER = (1 << 29) - 1;

  private static final int TIER_BITS = 2;
  private static final int SLOWEST = 2;

  private Place() {}

  /** In a tier of a worker. */
  public static int of(int worker, int tier) {
    return worker << TIER_BITS | tier;
  }

  /** The worker's number. */
  public static int worker(int place) {
    return place >>> TIER_BITS;
  }

  /** The tier; the faster, the smaller. */
  public static int tier(int place) {
    return place & (1 << TIER_BITS) - 1;
  }

  /** Whether this is a place at all. */
  static boolean isValid(int place) {
    return worker(place) > 0 && worker(place) <= LAST_WORKER && tier(place) <= SLOWEST;
  }
}

package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.localcluster.client.Shuffle;
import java.util.Locale;

/** What a bench compares: a shuffle with what is set for it. */
public enum Contender {
  /** Hadoop's own shuffle, set so that each map spills once and each reduce merges once. */
  STOCK(Shuffle.STOCK),
  /**
   * The same, and a reduce task leaves its heap to the shuffle: its input is reduced from memory
   * where it fits.
   */
  STOCK_TUNED(Shuffle.STOCK),
  /** Through I-files. */
  SAILFISH(Shuffle.SAILFISH);

  private final Shuffle shuffle;

  Contender(Shuffle shuffle) {
    this.shuffle = shuffle;
  }

  /** The shuffle that its jobs use. */
  public Shuffle shuffle() {
    return shuffle;
  }

  /** The name on the command line and in reports. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

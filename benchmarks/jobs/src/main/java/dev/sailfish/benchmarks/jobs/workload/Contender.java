package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.localcluster.client.MasterChoice;
import dev.sailfish.localcluster.client.Shuffle;
import dev.sailfish.localcluster.client.WarmTasks;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a bench compares: a shuffle with what is set for it. */
public enum Contender {
  /** Hadoop's own shuffle, set so that each map spills once and each reduce merges once. */
  STOCK(Shuffle.STOCK),
  /**
   * The same, and a reduce task leaves its heap to the shuffle: its input is reduced from memory
   * where it fits.
   */
  STOCK_TUNED(Shuffle.STOCK),
  /** Through I-files, with the ApplicationMaster and the tasks that the command names. */
  SAILFISH(Shuffle.SAILFISH),
  /** In Sailfish's ApplicationMaster, whose tasks share JVMs but not the user's classes. */
  SAILFISH_ISOLATED(WarmTasks.ISOLATED),
  /** The same, and tasks share the user's classes. */
  SAILFISH_SHARED(WarmTasks.SHARED),
  /** In Sailfish's ApplicationMaster, and each task has a JVM of its own. */
  SAILFISH_COLD(WarmTasks.OFF);

  private final Shuffle shuffle;
  private final Optional<WarmTasks> warmTasks;

  Contender(Shuffle shuffle) {
    this.shuffle = shuffle;
    this.warmTasks = Optional.empty();
  }

  Contender(WarmTasks warmTasks) {
    this.shuffle = Shuffle.SAILFISH;
    this.warmTasks = Optional.of(warmTasks);
  }

  /** The shuffle that its jobs use. */
  public Shuffle shuffle() {
    return shuffle;
  }

  /** Whether its jobs go through I-files. */
  public boolean isSailfish() {
    return shuffle == Shuffle.SAILFISH;
  }

  /**
   * The keys of a job's configuration that make it this contender's.
   *
   * @param asked what the command asks of the ApplicationMaster of Sailfish's jobs
   */
  Map<String, String> masterKeys(MasterChoice asked) {
    return isSailfish() ? warmTasks.map(asked::with).orElse(asked).configuration() : Map.of();
  }

  /** Whether it is this key that makes it differ from the others. */
  boolean isMadeBy(String key) {
    return shuffle.configuration().containsKey(key)
        || warmTasks.isPresent() && key.equals(WarmTasks.KEY);
  }

  /** The name on the command line and in reports. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

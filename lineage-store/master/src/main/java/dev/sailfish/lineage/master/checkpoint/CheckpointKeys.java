package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;
import dev.sailfish.lineage.edge.checkpoint.SynchronousThreshold;
import dev.sailfish.lineage.edge.recompute.Backoff;
import dev.sailfish.lineage.edge.recompute.TemporaryFiles;
import java.time.Duration;
import java.util.List;

/** The configuration keys of checkpoints. */
public final class CheckpointKeys {
  private static final double PERCENT = 100;

  private final Key<String> order;
  private final Key<Integer> interval;
  private final Key<Integer> edgeShare;
  private final Key<Integer> hotReads;
  private final Key<Boolean> patience;
  private final Key<List<String>> temporary;
  private final Key<Boolean> unrecorded;
  private final Key<Long> synchronous;
  private final Speed speed;

  /** How fast it goes. */
  private static final class Speed {
    private final Key<Integer> atOnce;
    private final Key<Long> bandwidth;
    private final Key<Duration> pause;
    private final Key<Duration> firstRetry;
    private final Key<Duration> longestRetry;

    Speed(KeySet keys) {
      atOnce =
          keys.number(
              "checkpoint.at.once",
              "1",
              "1..64",
              "how many files of one mount a worker copies at once in the background");
      bandwidth =
          keys.size(
              "checkpoint.bandwidth",
              "0",
              "0|64k..",
              "how many bytes a worker copies in a second in the background; 0: as many as it can");
      pause =
          keys.duration(
              "checkpoint.pause",
              "50ms",
              "0..1min",
              "how long a worker waits before each MiB at most that it copies in the background, while"
                  + " no processor of its host is idle");
      firstRetry =
          keys.duration(
              "checkpoint.retry",
              "10s",
              "100ms..1h",
              "how long a file waits that could not be copied, and after a failure that is not its"
                  + " own its whole mount; twice as long each time");
      longestRetry =
          keys.duration("checkpoint.retry.longest", "10min", "100ms..1d", "how long at most");
    }
  }

  private CheckpointKeys(KeySet keys) {
    order =
        keys.word(
            "checkpoint.order",
            CheckpointOrdering.EDGE,
            "edge|creation|latest|interval|none",
            "in which order files with a lineage record are copied below in the background: by the"
                + " Edge algorithm, as they came, the last one first, those of every n-th job of a"
                + " chain alone; `none`: nothing but what `sailfish lineage checkpoint` asks for");
    interval =
        keys.number("checkpoint.interval", "10", "1..", "n, with `checkpoint.order` of `interval`");
    edgeShare =
        keys.number(
            "checkpoint.edge.share",
            "50",
            "1..100",
            "percent of the time that the edge gets while hot files wait, too: c of Corollary 2 of"
                + " the Edge report");
    hotReads =
        keys.number("checkpoint.hot.reads", "2", "0..", "a file that was opened more often is hot");
    patience =
        keys.flag(
            "checkpoint.edge.patience",
            "true",
            "whether what is made of a file takes its place in the edge, and a file that is old when"
                + " its turn comes waits for the next one of its chain when that is expected soon;"
                + " `false`: the edge is copied as it was, by the letter of the Edge report");
    temporary =
        keys.list(
            "temporary",
            "_temporary",
            "",
            "paths below which files are not copied in the background, with commas between; a name"
                + " without a slash: below directories of that name, wherever they are");
    unrecorded =
        keys.flag(
            "checkpoint.unrecorded",
            "false",
            "whether files under a mount that have no lineage record are copied below, too, in the"
                + " order of their creation, while none with a record waits");
    synchronous =
        keys.size(
            "checkpoint.synchronous",
            "0",
            "0|1..",
            "when the outputs of a lineage record are longer together they are copied before all"
                + " others; 0: never");
    speed = new Speed(keys);
  }

  /** Declares them. */
  public static CheckpointKeys of(KeySet keys) {
    return new CheckpointKeys(keys);
  }

  /**
   * What is set.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public CheckpointSettings read(Settings settings) {
    long mostBytes = settings.get(synchronous);
    long firstNs = settings.get(speed.firstRetry).toNanos();
    long longestNs = Math.max(firstNs, settings.get(speed.longestRetry).toNanos());
    return new CheckpointSettings(
        new CheckpointOrdering(
            settings.get(order),
            new EdgeSettings(
                settings.get(edgeShare) / PERCENT, settings.get(hotReads), settings.get(patience)),
            settings.get(interval)),
        temporary(settings),
        settings.get(unrecorded),
        mostBytes == 0 ? SynchronousThreshold.NEVER : new SynchronousThreshold(mostBytes),
        new Backoff(1, firstNs, longestNs),
        new CheckpointSettings.Pace(
            settings.get(speed.atOnce),
            settings.get(speed.bandwidth),
            settings.get(speed.pause).toMillis()));
  }

  private TemporaryFiles temporary(Settings settings) {
    try {
      return new TemporaryFiles(settings.get(temporary));
    } catch (IllegalArgumentException e) {
      throw settings.wrong(temporary, e.getMessage());
    }
  }
}

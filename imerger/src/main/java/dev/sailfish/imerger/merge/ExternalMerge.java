package dev.sailfish.imerger.merge;

import dev.sailfish.format.order.KeyOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens runs for a merge within the memory: when they do not fit side by side, some of them are
 * merged to local files first, in as many passes as it takes. Records carry their ranks into these
 * files, so that the order does not depend on which runs went together.
 */
public final class ExternalMerge {
  private static final int MIN_WINDOW_BYTES = 64 << 10;
  private static final int USUAL_WINDOW_BYTES = (1 << 20) - 64;
  private static final int MAX_WINDOW_BYTES = (4 << 20) - 64;
  private static final long WINDOWS_BYTES = 8 << 20;

  private final Path spillDirectory;
  private final KeyOrder order;
  private final BlockDecoder decoder;
  private int spilledRuns;
  private long spilledRecords;
  private long spilledBytes;
  private List<RunCursor> runs = new ArrayList<>();

  /**
   * @param spillDirectory for local files; made when it is needed
   */
  public ExternalMerge(Path spillDirectory, KeyOrder order, BlockDecoder decoder) {
    this.spillDirectory = spillDirectory;
    this.order = order;
    this.decoder = decoder;
  }

  /** Local runs written. */
  public int spilledRuns() {
    return spilledRuns;
  }

  /** Records written to local runs, once for each pass. */
  public long spilledRecords() {
    return spilledRecords;
  }

  /** Bytes written to local runs. */
  public long spilledBytes() {
    return spilledBytes;
  }

  /**
   * The merge of these runs, begun. On an exception all have given their buffers back.
   *
   * @param all belongs to this from here on
   */
  public RunMerge merge(List<RunCursor> all) throws IOException {
    runs = all;
    boolean ready = false;
    try {
      while (runs.size() > 2 && minimum(runs) > decoder.freeBytes()) {
        pass();
      }
      RunMerge merge = begin(runs);
      ready = true;
      return merge;
    } finally {
      if (!ready) {
        for (RunCursor run : runs) {
          run.release();
        }
      }
    }
  }

  /** What the runs need beyond what they hold already. */
  private static long minimum(List<RunCursor> runs) {
    long bytes = 0;
    for (RunCursor run : runs) {
      bytes += run.minimumBytes() - run.reserved();
    }
    return bytes;
  }

  /** Merges the first runs, as few as are needed or as many as fit, to one at the end. */
  private void pass() throws IOException {
    int writing = SpillWriter.memoryBytes(decoder);
    long free = decoder.freeBytes() - writing;
    long rest = minimum(runs) + writing;
    long taken = 0;
    int count = 0;
    while (count < runs.size()) {
      RunCursor run = runs.get(count);
      long needed = run.minimumBytes() - run.reserved();
      boolean enough = rest - taken <= decoder.freeBytes();
      if (count >= 2 && (enough || taken + needed > free)) {
        break;
      }
      taken += needed;
      count++;
    }
    List<RunCursor> group = new ArrayList<>(runs.subList(0, count));
    decoder.hold(writing);
    try (SpillWriter writer = SpillWriter.open(spillDirectory, decoder, spilledRuns)) {
      spilledRuns++;
      RunMerge merge = begin(group);
      for (RunCursor run = merge.next(); run != null; run = merge.next()) {
        writer.append(run);
        spilledRecords++;
      }
      SpilledRun spilled = writer.finish();
      spilledBytes += writer.written();
      runs.subList(0, count).clear();
      runs.add(spilled);
    } finally {
      decoder.hold(-writing);
    }
  }

  private RunMerge begin(List<RunCursor> group) throws IOException {
    int window = windowBytes(group);
    int opened = 0;
    while (opened < group.size()) {
      opened += group.get(opened).open(group, opened, window);
    }
    return new RunMerge(group.toArray(new RunCursor[0]), order);
  }

  /** Shares the memory out: two windows for each run. */
  private int windowBytes(List<RunCursor> group) {
    int runsOfGroup = Math.max(1, group.size());
    long held = 0;
    for (RunCursor run : group) {
      held += run.reserved();
    }
    long share = (decoder.freeBytes() + held) / (2L * runsOfGroup);
    long most =
        Math.max(USUAL_WINDOW_BYTES, Math.min(MAX_WINDOW_BYTES, WINDOWS_BYTES / runsOfGroup));
    return (int) Math.max(MIN_WINDOW_BYTES, Math.min(share, most));
  }
}

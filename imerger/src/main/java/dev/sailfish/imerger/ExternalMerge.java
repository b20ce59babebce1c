package dev.sailfish.imerger;

import dev.sailfish.format.KeyComparator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens runs for a merge within the memory: when they do not fit side by side, some of them are
 * merged to local files first, in as many passes as it takes. Records carry their ranks into these
 * files, so that the order does not depend on which runs went together.
 */
final class ExternalMerge {
  private static final int MIN_WINDOW_BYTES = 64 << 10;
  private static final int USUAL_WINDOW_BYTES = (1 << 20) - 64;
  private static final int MAX_WINDOW_BYTES = (4 << 20) - 64;
  private static final long WINDOWS_BYTES = 8 << 20;

  private final Path spillDirectory;
  private final KeyComparator comparator;
  private final Memory memory;
  private final BlockDecoder decoder;
  private final MergeStatistics statistics;
  private List<RunCursor> runs = new ArrayList<>();

  /**
   * @param comparator of keys, or null when their order is that of their bytes
   */
  ExternalMerge(
      Path spillDirectory,
      KeyComparator comparator,
      Memory memory,
      BlockDecoder decoder,
      MergeStatistics statistics) {
    this.spillDirectory = spillDirectory;
    this.comparator = comparator;
    this.memory = memory;
    this.decoder = decoder;
    this.statistics = statistics;
  }

  /** The merge of these runs, begun. On an exception all have given their buffers back. */
  RunMerge merge(List<RunCursor> all) throws IOException {
    runs = all;
    boolean ready = false;
    try {
      while (runs.size() > 2 && minimum(runs) > memory.free()) {
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
    long free = memory.free() - writing;
    long rest = minimum(runs) + writing;
    long taken = 0;
    int count = 0;
    while (count < runs.size()) {
      RunCursor run = runs.get(count);
      long needed = run.minimumBytes() - run.reserved();
      boolean enough = rest - taken <= memory.free();
      if (count >= 2 && (enough || taken + needed > free)) {
        break;
      }
      taken += needed;
      count++;
    }
    List<RunCursor> group = new ArrayList<>(runs.subList(0, count));
    memory.change(writing);
    try (SpillFile file =
        new SpillFile(SpillWriter.open(spillDirectory, decoder, memory, statistics))) {
      RunMerge merge = begin(group);
      RunCursor run = merge.next();
      while (run != null) {
        file.writer.append(run);
        run = merge.next();
      }
      List<RunCursor> left = new ArrayList<>(runs.subList(count, runs.size()));
      left.add(file.finish());
      runs = left;
    } finally {
      memory.change(-writing);
    }
  }

  private RunMerge begin(List<RunCursor> group) throws IOException {
    int window = windowBytes(group);
    int i = 0;
    while (i < group.size()) {
      int end = sharedEnd(group, i);
      if (end - i > 1) {
        openShared(group, i, end);
        i = end;
      } else {
        group.get(i++).open(window);
      }
    }
    RunMerge merge = new RunMerge(group.toArray(new RunCursor[0]), comparator);
    merge.begin();
    return merge;
  }

  /** Shares the memory out: two windows for each run. */
  private int windowBytes(List<RunCursor> group) {
    if (group.isEmpty()) {
      return MIN_WINDOW_BYTES;
    }
    long held = 0;
    for (RunCursor run : group) {
      held += run.reserved();
    }
    long share = (memory.free() + held) / (2L * group.size());
    long most =
        Math.max(USUAL_WINDOW_BYTES, Math.min(MAX_WINDOW_BYTES, WINDOWS_BYTES / group.size()));
    return (int) Math.max(MIN_WINDOW_BYTES, Math.min(share, most));
  }

  /**
   * Behind the last of the runs from {@code first} on that are neighbouring single blocks. They are
   * in memory as a whole anyway, so one read may bring many of them.
   */
  private static int sharedEnd(List<RunCursor> group, int first) {
    int end = first;
    long length = 0;
    while (end < group.size() && group.get(end) instanceof ChunkRun run && run.unreadSingle()) {
      ChunkRun before = end == first ? null : (ChunkRun) group.get(end - 1);
      length += run.blockLength();
      boolean joins =
          before == null
              || before.chunk() == run.chunk()
                  && before.blockOffset() + before.blockLength() == run.blockOffset()
                  && length <= USUAL_WINDOW_BYTES;
      if (!joins) {
        break;
      }
      end++;
    }
    return end;
  }

  private static void openShared(List<RunCursor> group, int first, int end) throws IOException {
    ChunkRun run = (ChunkRun) group.get(first);
    ChunkRun last = (ChunkRun) group.get(end - 1);
    int length = (int) (last.blockOffset() + last.blockLength() - run.blockOffset());
    ReadFetch fetch = new ReadFetch(run.chunk(), run.blockOffset(), length, length);
    for (int i = first; i < end; i++) {
      ((ChunkRun) group.get(i)).openShared(fetch);
    }
    run.chunk().link().send(fetch);
  }

  /** The file that a pass writes; closed unless it became a run. */
  private static final class SpillFile implements AutoCloseable {
    private final SpillWriter writer;
    private boolean finished;

    SpillFile(SpillWriter writer) {
      this.writer = writer;
    }

    SpilledRun finish() throws IOException {
      SpilledRun run = writer.finish();
      finished = true;
      return run;
    }

    @Override
    public void close() throws IOException {
      if (!finished) {
        writer.close();
      }
    }
  }
}

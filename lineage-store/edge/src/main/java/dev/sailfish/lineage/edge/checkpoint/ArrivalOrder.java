package dev.sailfish.lineage.edge.checkpoint;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Policies that look at the order in which files are completed, to compare {@link EdgePolicy} with:
 * they bound nothing when files are completed faster than they are written. A file whose write
 * failed, or that is lost and completed again, counts as one that came then.
 *
 * <p>An event takes a time in proportion to the logarithm of the number of files that wait.
 */
public final class ArrivalOrder implements CheckpointPolicy {
  private final int interval;
  private final boolean latestFirst;
  private final NavigableMap<Long, Long> waiting = new TreeMap<>(); // FIDs, by arrival
  private final Map<Long, Long> arrivals = new HashMap<>(); // of those that wait
  private final Set<Long> writing = new HashSet<>();
  private final Map<Long, Integer> depths = new HashMap<>(); // of files with lineage
  private final Map<Long, Integer> growing = new HashMap<>(); // depths of what is not sealed

  private ArrivalOrder(int interval, boolean latestFirst) {
    this.interval = interval;
    this.latestFirst = latestFirst;
  }

  /** Files in the order of their creation: the straw man of section 4 of the paper. */
  public static CheckpointPolicy creationOrder() {
    return new ArrivalOrder(1, false);
  }

  /** The file that was completed last, first: section 2.7 of the earlier paper. */
  public static CheckpointPolicy latestFirst() {
    return new ArrivalOrder(1, true);
  }

  /**
   * The files of every n-th job of a chain alone, in the order of creation: section 7.3 of the
   * paper. Of a graph, the longest chain to a file counts.
   *
   * @param jobs n, at least 1
   */
  public static CheckpointPolicy fixedInterval(int jobs) {
    if (jobs < 1) {
      throw new IllegalArgumentException("an interval is at least 1 job, not " + jobs);
    }
    return new ArrivalOrder(jobs, false);
  }

  @Override
  public void submitted(long[] inputs, long[] outputs, long nowNs) {
    int depth = depth(inputs);
    for (long output : outputs) {
      depths.put(output, depth);
    }
  }

  private int depth(long[] inputs) {
    int depth = 1;
    for (long input : inputs) {
      depth = Math.max(depth, depths.getOrDefault(input, 0) + 1);
    }
    return depth;
  }

  @Override
  public void began(long dependency, long[] inputs, long nowNs) {
    growing.put(dependency, depth(inputs));
  }

  @Override
  public void grew(long dependency, long output) {
    Integer depth = growing.get(dependency);
    if (depth != null) {
      depths.put(output, depth);
    }
  }

  @Override
  public void sealed(long dependency, long nowNs) {
    growing.remove(dependency);
  }

  @Override
  public void completed(long fid, long nowNs) {
    boolean isInPlace = depths.getOrDefault(fid, interval) % interval == 0;
    if (isInPlace && !arrivals.containsKey(fid) && !writing.contains(fid)) {
      append(fid);
    }
  }

  private void append(long fid) {
    put(fid, waiting.isEmpty() ? 0 : waiting.lastKey() + 1);
  }

  private void put(long fid, long arrival) {
    waiting.put(arrival, fid);
    arrivals.put(fid, arrival);
  }

  /** Reads do not count. */
  @Override
  public void read(long fid) {}

  @Override
  public OptionalLong next(long nowNs) {
    if (waiting.isEmpty()) {
      return OptionalLong.empty();
    }
    Map.Entry<Long, Long> next = latestFirst ? waiting.lastEntry() : waiting.firstEntry();
    return OptionalLong.of(next.getValue());
  }

  /** Nothing is waited for. */
  @Override
  public OptionalLong askAgainNs() {
    return OptionalLong.empty();
  }

  @Override
  public boolean isWaiting(long fid) {
    return arrivals.containsKey(fid);
  }

  @Override
  public void showWaiting(LongPredicate visitor) {
    for (long fid : (latestFirst ? waiting.descendingMap() : waiting).values()) {
      if (!visitor.test(fid)) {
        return;
      }
    }
  }

  @Override
  public void started(long fid, long nowNs) {
    if (!remove(fid)) {
      throw new IllegalStateException("file %016x does not wait".formatted(fid));
    }
    writing.add(fid);
  }

  private boolean remove(long fid) {
    Long arrival = arrivals.remove(fid);
    return arrival != null && waiting.remove(arrival) != null;
  }

  @Override
  public void checkpointed(long fid, long spentNs) {
    forget(fid);
  }

  @Override
  public void failed(long fid, long spentNs) {
    if (writing.remove(fid)) {
      append(fid);
    }
  }

  @Override
  public void returned(long fid) {
    if (writing.remove(fid)) {
      boolean isFirst = waiting.isEmpty() || latestFirst;
      if (isFirst) {
        append(fid);
      } else {
        put(fid, waiting.firstKey() - 1);
      }
    }
  }

  @Override
  public void lost(long fid) {
    forget(fid);
  }

  @Override
  public void deleted(long fid) {
    forget(fid);
    depths.remove(fid);
  }

  private void forget(long fid) {
    remove(fid);
    writing.remove(fid);
  }
}

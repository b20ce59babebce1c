package dev.sailfish.blockstore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Shares a tier fairly between users (max-min): the user who holds most gives first, until the next
 * one holds as much, then both. So nobody gives anything who holds no more than an equal part of
 * the tier, and what somebody does not use is everybody's. Among the segments of one user another
 * order decides.
 */
public final class FairShare implements EvictionOrder {
  private final EvictionOrder among;
  private final Function<Segment, String> user;
  private final Supplier<Map<String, Long>> kept;

  /**
   * @param among which of a user's segments go first
   * @param user whose a segment is
   * @param kept how many bytes users have in memory that cannot leave it
   */
  public FairShare(
      EvictionOrder among, Function<Segment, String> user, Supplier<Map<String, Long>> kept) {
    this.among = among;
    this.user = user;
    this.kept = kept;
  }

  @Override
  public long rank(Segment segment) {
    return among.rank(segment);
  }

  @Override
  public boolean mayDelete(Segment segment) {
    return among.mayDelete(segment);
  }

  @Override
  public void moved(Segment segment) {
    among.moved(segment);
  }

  @Override
  public void deleted(Segment segment) {
    among.deleted(segment);
  }

  @Override
  public List<Segment> order(Collection<Segment> candidates) {
    boolean isMemory = candidates.stream().anyMatch(segment -> segment.tier() == Tier.MEMORY);
    Map<String, Long> staying = isMemory ? kept.get() : Map.of();
    return order(among.order(candidates), user, Segment::length, staying);
  }

  /** One who holds something. */
  private static final class Holder<T> {
    private final Deque<T> goes = new ArrayDeque<>();
    private long bytes;
    private int turn; // of the first that goes, in the order given
  }

  /**
   * The order in which things leave.
   *
   * @param ordered the first is the first to go of its user
   * @param kept bytes that count to users and stay
   */
  static <T> List<T> order(
      List<T> ordered, Function<T, String> user, ToLongFunction<T> bytes, Map<String, Long> kept) {
    Map<String, Holder<T>> holders = new HashMap<>();
    Map<T, Integer> turns = new HashMap<>();
    for (T each : ordered) {
      turns.put(each, turns.size());
      String name = user.apply(each);
      Holder<T> holder = holders.get(name);
      if (holder == null) {
        holder = new Holder<>();
        holder.bytes = kept.getOrDefault(name, 0L);
        holder.turn = turns.get(each);
        holders.put(name, holder);
      }
      holder.goes.add(each);
      holder.bytes += bytes.applyAsLong(each);
    }
    PriorityQueue<Holder<T>> most =
        new PriorityQueue<>(
            Comparator.<Holder<T>>comparingLong(holder -> -holder.bytes)
                .thenComparingInt(holder -> holder.turn));
    most.addAll(holders.values());
    List<T> leaving = new ArrayList<>(ordered.size());
    while (!most.isEmpty()) {
      Holder<T> holder = most.poll();
      T next = holder.goes.poll();
      leaving.add(next);
      holder.bytes -= bytes.applyAsLong(next);
      if (!holder.goes.isEmpty()) {
        holder.turn = turns.get(holder.goes.peek());
        most.add(holder);
      }
    }
    return leaving;
  }
}

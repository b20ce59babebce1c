package dev.sailfish.metaserver;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Work that waits for one thread, in a queue for each place that it comes from. The places take
 * turns, so that one that brings much does not hold up the others. Thread-safe.
 *
 * @param <P> what tells places from each other
 */
final class FairQueue<P> {
  private final int limit;
  private final int limitOfPlace;
  // Guarded by this object's monitor: the place whose turn it is comes first; none is empty.
  private final Map<P, Deque<Runnable>> places = new LinkedHashMap<>();
  private int size;

  /**
   * @param limit how much may wait in all
   * @param limitOfPlace how much of one place
   */
  FairQueue(int limit, int limitOfPlace) {
    this.limit = limit;
    this.limitOfPlace = limitOfPlace;
  }

  /** Adds work; returns false when too much waits. */
  synchronized boolean offer(P place, Runnable work) {
    Deque<Runnable> same = places.get(place);
    if (size >= limit || (same != null && same.size() >= limitOfPlace)) {
      return false;
    }
    places.computeIfAbsent(place, unused -> new ArrayDeque<>()).add(work);
    size++;
    notifyAll();
    return true;
  }

  /** Takes the next work out; waits until there is some. */
  synchronized Runnable take() throws InterruptedException {
    while (places.isEmpty()) {
      wait();
    }
    P place = places.keySet().iterator().next();
    Deque<Runnable> same = places.remove(place);
    Runnable work = same.remove();
    if (!same.isEmpty()) {
      places.put(place, same);
    }
    size--;
    return work;
  }
}

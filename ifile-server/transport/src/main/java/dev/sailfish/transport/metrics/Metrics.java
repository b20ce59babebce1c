package dev.sailfish.transport.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The metrics of a server, one per constant of an enum that documents them. May be used from any
 * thread.
 *
 * @param <E> the enum; what exactly each constant counts stands at the constant
 */
public final class Metrics<E extends Enum<E> & Metrics.Id> {
  /** What the constants of a counter enum can tell. */
  public interface Id {
    /** Name in metrics: lower case with underscores, unique over the servers. */
    String fullName();
  }

  private final E[] ids;
  private final LongAdder[] values;

  /** Counters for all constants of {@code type}, at 0. */
  public Metrics(Class<E> type) {
    this.ids = type.getEnumConstants();
    this.values = new LongAdder[ids.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = new LongAdder();
    }
  }

  /** Counts one more. */
  public void increment(E id) {
    values[id.ordinal()].increment();
  }

  /** Counts {@code amount} more; negative for what went away. */
  public void add(E id, long amount) {
    values[id.ordinal()].add(amount);
  }

  /** The value now. */
  public long get(E id) {
    return values[id.ordinal()].sum();
  }

  /** All values by label, in the order of the enum; a new map. */
  public Map<String, Long> snapshot() {
    Map<String, Long> snapshot = new LinkedHashMap<>();
    for (E id : ids) {
      snapshot.put(id.fullName(), get(id));
    }
    return snapshot;
  }
}

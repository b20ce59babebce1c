package dev.sailfish.testkit.qfs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The faults of one server. {@code server.faults().on("READ").skip(2).flipByte()} changes the third
 * READ that comes. Faults of one operation hit in the order in which they were set, one for a
 * request. Any thread.
 */
public final class QfsFaults {
  private static final long LONGEST_HANG_NS = TimeUnit.MINUTES.toNanos(2);

  private final List<QfsFault> faults = new ArrayList<>();
  private final Map<String, Integer> counts = new HashMap<>();
  private int generation;

  QfsFaults() {}

  /** A fault of requests that clients send, such as {@code "READ"}; {@code "*"} is any of them. */
  public QfsFault on(String operation) {
    return new QfsFault(this, operation);
  }

  /**
   * A fault of requests that the server before this one in a chain passes on, such as {@code
   * "WRITE_PREPARE"}; only {@link QfsFault#refuse} has an effect.
   */
  public QfsFault onForwarded(String operation) {
    return new QfsFault(this, forwarded(operation));
  }

  /** No faults any more; what hangs ends, its connection is closed. */
  public synchronized void clear() {
    faults.clear();
    generation++;
    notifyAll();
  }

  /** How many requests of an operation came since the start. */
  public synchronized int count(String operation) {
    return counts.getOrDefault(operation, 0);
  }

  synchronized void add(QfsFault fault) {
    faults.add(fault);
  }

  static String forwarded(String operation) {
    return "forwarded " + operation;
  }

  /** The fault that hits this request, or null; each request is asked about once. */
  synchronized QfsFault match(String operation) {
    counts.merge(operation, 1, Integer::sum);
    for (QfsFault fault : faults) {
      boolean any = fault.operation().equals("*") && !operation.startsWith("forwarded ");
      if ((any || fault.operation().equals(operation)) && fault.hits()) {
        return fault;
      }
    }
    return null;
  }

  /** Returns when the faults are cleared. */
  synchronized void hang() throws InterruptedException {
    int seen = generation;
    long endNs = System.nanoTime() + LONGEST_HANG_NS;
    while (seen == generation) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
      if (leftMs <= 0) {
        return;
      }
      wait(leftMs);
    }
  }
}

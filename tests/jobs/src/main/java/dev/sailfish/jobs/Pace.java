package dev.sailfish.jobs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.util.Progressable;

/** Makes a task last, so that something can happen to it: spreads its records over some time. */
final class Pace {
  private static final int RECORDS_PER_REST = 32;

  private final long totalNs;
  private final long records;
  private final long startNs = System.nanoTime();
  private long done;

  /**
   * @param totalMs milliseconds that all records take at least; 0 = no time
   * @param records how many are expected; more take no more time
   */
  Pace(int totalMs, long records) {
    this.totalNs = TimeUnit.MILLISECONDS.toNanos(totalMs);
    this.records = Math.max(1, records);
  }

  /** One record is done; waits until its time has come. */
  void step(Progressable task) {
    done++;
    if (totalNs == 0 || done % RECORDS_PER_REST != 0 || done > records) {
      return;
    }
    long dueNs = startNs + totalNs / records * done;
    for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
      LockSupport.parkNanos(left);
      task.progress();
    }
  }
}

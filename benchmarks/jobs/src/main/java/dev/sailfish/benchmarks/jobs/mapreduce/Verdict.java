package dev.sailfish.benchmarks.jobs.mapreduce;

import org.apache.hadoop.mapreduce.Counters;

/** Compares what a job has counted with what is right; says on the error stream what is not. */
final class Verdict {
  private final Counters counters;
  private boolean right = true;

  Verdict(Counters counters) {
    this.counters = counters;
  }

  /** One counter has the value that was expected. */
  Verdict equal(String what, long expected, Check actual) {
    long value = value(actual);
    if (expected != value) {
      System.err.println("INVALID " + what + ": expected=" + expected + " actual=" + value);
      right = false;
    }
    return this;
  }

  /** Two counters have the same value. */
  Verdict equal(String what, Check expected, Check actual) {
    return equal(what, value(expected), actual);
  }

  /** Keys came in their order, and to the tasks that they belong to. */
  Verdict keysWereInPlace() {
    return equal("keys out of order", 0, Check.OUT_OF_ORDER)
        .equal("keys in a wrong partition", 0, Check.WRONG_PARTITION);
  }

  /** Whether everything was as expected. */
  boolean isRight() {
    return right;
  }

  private long value(Check check) {
    return counters.findCounter(check).getValue();
  }
}

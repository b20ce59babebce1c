package dev.sailfish.chaos;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What one fault draws from and waits by. For one thread. */
public final class Course {
  private final SplittableRandom random;
  private final CountDownLatch ended;

  /**
   * A course.
   *
   * @param random what is decided only when the fault strikes
   * @param ended counted down when the work has ended
   */
  public Course(SplittableRandom random, CountDownLatch ended) {
    this.random = random;
    this.ended = ended;
  }

  /** Decides which process, which bit, how long. */
  public SplittableRandom random() {
    return random;
  }

  /** Waits; returns true at once when the work has ended. */
  public boolean pause(long millis) throws InterruptedException {
    return ended.await(millis, TimeUnit.MILLISECONDS);
  }
}

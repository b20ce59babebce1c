package dev.sailfish.chaos;

import java.io.IOException;
import java.util.Optional;

/**
 * What a fault does. One instance serves many faults, in several threads.
 *
 * @param <T> what it is done to
 */
public interface Strike<T extends Target> {
  /**
   * Strikes, and returns when the fault is over: what it leaves behind {@link Target#repair} puts
   * right.
   *
   * @param course what is drawn and waited by; it ends when the work has ended
   * @return what was hit and how; empty when there was nothing to hit, so that it is tried again
   */
  Optional<String> at(T target, Course course) throws IOException, InterruptedException;
}

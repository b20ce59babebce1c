package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.Daemons;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Which server of a target is struck.
 *
 * @param <T> the target
 */
public interface ServerChoice<T extends Target> {
  /** Among which servers. */
  Daemons among(T target);

  /** Takes one of them; empty when none may be taken now. */
  default Optional<DaemonProcess> take(T target, SplittableRandom random) {
    return among(target).take(random);
  }
}

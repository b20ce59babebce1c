package dev.sailfish.simulator;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A call of a client comes back within its deadlines, whatever happens to servers and network. */
public final class EveryWaitEnds {
  /** A call that may wait. */
  public interface Call<T> {
    /** Runs on the actor's thread. */
    T run() throws IOException;
  }

  private record Waiting(String what, long untilNs) {}

  private final Scheduler scheduler;
  private final Map<Actor, Waiting> waiting = new LinkedHashMap<>();

  /**
   * @param scheduler whose time counts
   */
  public EveryWaitEnds(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Makes a call that must end in {@code limitMs} of virtual time. */
  public <T> T in(long limitMs, Actor actor, String what, Call<T> call) throws IOException {
    waiting.put(actor, new Waiting(what, scheduler.nowNs() + limitMs * 1_000_000));
    try {
      return call.run();
    } finally {
      waiting.remove(actor);
    }
  }

  /** Throws a {@link Violation} when a call of a living actor is late. */
  public void check() {
    for (Map.Entry<Actor, Waiting> entry : waiting.entrySet()) {
      Actor actor = entry.getKey();
      boolean late = scheduler.nowNs() > entry.getValue().untilNs();
      if (late && actor.process().isAlive()) {
        throw new Violation(
            EveryWaitEnds.class,
            actor + " still waits in " + entry.getValue().what() + ", long after its deadlines");
      }
    }
  }
}

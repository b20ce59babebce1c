package dev.sailfish.simulator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Virtual time and what happens in it. Events happen one after the other, in the order of their
 * times, and time passes only between them. What is random is drawn from one generator, so one seed
 * is one schedule; {@link #hash} over all events shows it.
 *
 * <p>Actors run on threads of their own, but only who holds the baton runs: it does events until
 * one of them resumes another actor, hands the baton to that, and waits until an event resumes
 * itself. So all is as ordered as on a single thread, and every thread sees what the others did.
 */
public final class Scheduler {
  /** Looks at everything after each event. */
  public interface Check {
    /** Throws an {@link AssertionError} that names the invariant and what broke it. */
    void run();
  }

  private record Event(
      long atNs,
      long number,
      String what,
      SimulatedProcess of,
      Runnable work,
      Actor actor,
      long turn)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNs, other.atNs);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private static final long MOST_EVENTS = 2_000_000;
  private static final long HASH_PRIME = 0x100000001b3L;
  private static final long JOIN_MS = 10_000;
  private static final int LAST_EVENTS = 40;

  private final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Actor> actors = new ArrayList<>();
  private final Actor root;
  private final String[] last = new String[LAST_EVENTS];
  private final Set<SimulatedProcess> touched = new HashSet<>();
  private Check check = () -> {};
  private long nowNs = 1_000_000_000;
  private long numbered;
  private long happened;
  private long hash = 0xcbf29ce484222325L;
  private boolean over;
  private Throwable failure;

  /** A schedule in which nothing is to happen yet. */
  public Scheduler(long seed) {
    this.random = new SplittableRandom(seed);
    this.root = new Actor(this, "scheduler", new SimulatedProcess("scheduler"));
  }

  /** Where all that is random in the schedule comes from. */
  public SplittableRandom random() {
    return random;
  }

  /** Virtual time in nanoseconds; only differences mean anything. */
  public long nowNs() {
    return nowNs;
  }

  /** Virtual time in milliseconds. */
  public long nowMs() {
    return nowNs / 1_000_000;
  }

  /** How many events have happened. */
  public long happened() {
    return happened;
  }

  /** A number that follows from all events and what was noted of them. */
  public long hash() {
    return hash;
  }

  /** Has all looked at after each event from now on. */
  public void checkAfterEach(Check all) {
    check = all;
  }

  /** The event that happens has to do with this process. */
  public void touch(SimulatedProcess process) {
    touched.add(process);
  }

  /** Processes that had to do with the last event. */
  public Set<SimulatedProcess> touched() {
    return touched;
  }

  /** Mixes a number into the hash. */
  public void note(long number) {
    hash = (hash ^ number) * HASH_PRIME;
    hash ^= hash >>> 29;
  }

  /** A time between the two, mostly near the first. */
  public long drawNs(long leastNs, long mostNs) {
    double part = random.nextDouble();
    return leastNs + (long) ((mostNs - leastNs) * part * part * part);
  }

  /**
   * Has something happen later.
   *
   * @param of whose doing it is: nothing happens when that process is dead by then
   */
  public void after(long delayNs, String what, SimulatedProcess of, Runnable work) {
    events.add(new Event(nowNs + Math.max(0, delayNs), numbered++, what, of, work, null, 0));
  }

  /** Ends a turn's wait of an actor later, unless something else has ended it by then. */
  public void resume(Actor actor, long turn, long delayNs) {
    long atNs = nowNs + Math.max(0, delayNs);
    events.add(new Event(atNs, numbered++, actor.name(), null, null, actor, turn));
  }

  /** The actors of a process that has died come to their ends. */
  void resumeAll(SimulatedProcess dead) {
    for (Actor actor : actors) {
      if (actor.process() == dead && !actor.hasEnded()) {
        resume(actor, actor.turn(), 0);
      }
    }
  }

  /** Starts an actor, which waits for its first turn. */
  public void start(Actor actor, Actor.Body body, Actor.Ending ending) {
    actors.add(actor);
    actor.start(body, ending);
    resume(actor, actor.turn(), 0);
  }

  /**
   * Lets things happen until {@link #end}. Called once.
   *
   * @throws AssertionError of the check, or when the events come to no end, or when what happens
   *     throws anything else: then it is the cause
   */
  public void run() throws InterruptedException {
    leave(root);
    for (Actor actor : actors) {
      if (!actor.hasEnded()) {
        actor.process().die();
        actor.take();
        root.awaitBaton();
      }
      actor.join(JOIN_MS);
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw new AssertionError("the simulation itself failed: " + failure, failure);
    }
  }

  /** The schedule is complete: nothing happens any more. */
  public void end() {
    over = true;
  }

  /** What happened last, for messages. */
  public String history() {
    StringBuilder text = new StringBuilder();
    for (long i = Math.max(0, happened - LAST_EVENTS); i < happened; i++) {
      text.append("\n  ").append(last[(int) (i % LAST_EVENTS)]);
    }
    return text.toString();
  }

  /** The holder of the baton does events until one resumes it. */
  void leave(Actor self) {
    Actor next = over ? root : doEvents();
    if (next != self) {
      next.take();
      self.awaitBaton();
    }
  }

  /** The holder of the baton is at its end, and hands it on. */
  void actorEnded(Actor self, Actor.Ending ending, Throwable cause) {
    if (!over) {
      try {
        ending.ended(cause);
      } catch (RuntimeException | Error e) {
        fail(e);
      }
    }
    (over ? root : doEvents()).take();
  }

  private void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    over = true;
  }

  /** Does events until one of them resumes an actor, or all is over; returns whose turn it is. */
  private Actor doEvents() {
    try {
      while (!over) {
        Event event = events.poll();
        if (event == null || happened > MOST_EVENTS) {
          throw new AssertionError("the schedule comes to no end: events=" + happened);
        }
        if (isStale(event) || isPutOff(event)) {
          continue;
        }
        begin(event);
        if (event.actor() != null) {
          check.run();
          return event.actor();
        }
        event.work().run();
        check.run();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
    return root;
  }

  private static boolean isStale(Event event) {
    Actor actor = event.actor();
    return actor == null ? !event.of().isAlive() : actor.hasEnded() || actor.turn() != event.turn();
  }

  /** What a stopped process would do happens when it goes on, in the same order. */
  private boolean isPutOff(Event event) {
    SimulatedProcess of = event.actor() == null ? event.of() : event.actor().process();
    if (of.pausedUntilNs() <= event.atNs()) {
      return false;
    }
    events.add(
        new Event(
            of.pausedUntilNs(),
            event.number(),
            event.what(),
            event.of(),
            event.work(),
            event.actor(),
            event.turn()));
    return true;
  }

  private void begin(Event event) {
    nowNs = event.atNs();
    touched.clear();
    touched.add(event.actor() == null ? event.of() : event.actor().process());
    last[(int) (happened % LAST_EVENTS)] =
        nowNs / 1_000 + " us: " + (event.actor() == null ? "" : "turn of ") + event.what();
    happened++;
    note(nowNs);
    note(event.what().hashCode());
  }
}

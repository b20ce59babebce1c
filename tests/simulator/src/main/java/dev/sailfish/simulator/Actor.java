package dev.sailfish.simulator;

import java.io.IOException;
import java.util.concurrent.Semaphore;

/**
 * Code that is written to wait (a task, a heartbeat agent), on a thread of its own of which the
 * {@link Scheduler} lets exactly one run at a time. It gives the baton back where it waits for the
 * network or the time, and nowhere else.
 */
public final class Actor {
  /** What an actor does. */
  public interface Body {
    /** Runs to its end; what it throws ends the actor and is handed to {@link Ending}. */
    void run() throws IOException;
  }

  /** Hears how an actor ended. */
  public interface Ending {
    /**
     * Called as the actor's last act, with the baton.
     *
     * @param failure what its body threw; null when it came to its end
     */
    void ended(Throwable failure);
  }

  /** Thrown out of every wait of an actor whose process was killed: nothing of it goes on. */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed(String name) {
      super(name + " was killed", null, false, false);
    }
  }

  private final Scheduler scheduler;
  private final String name;
  private final SimulatedProcess process;
  private final Semaphore baton = new Semaphore(0);
  private Thread thread;
  private long turn;
  private boolean ended;
  private boolean interrupted;

  /** Begins when it is given to {@link Scheduler#start}. */
  public Actor(Scheduler scheduler, String name, SimulatedProcess process) {
    this.scheduler = scheduler;
    this.name = name;
    this.process = process;
  }

  /** For messages, and in the hash of the schedule. */
  public String name() {
    return name;
  }

  /** Whose thread it is: it is killed with it. */
  public SimulatedProcess process() {
    return process;
  }

  /** Whether its body has returned or thrown. */
  public boolean hasEnded() {
    return ended;
  }

  /** Names the present wait, so that what was to end an earlier one ends none. */
  public long turn() {
    return turn;
  }

  void start(Body body, Ending ending) {
    thread =
        new Thread(
            () -> {
              baton.acquireUninterruptibly();
              Throwable failure = null;
              try {
                checkAlive();
                body.run();
              } catch (IOException | RuntimeException | Error e) {
                failure = e;
              }
              ended = true;
              interrupted = Thread.interrupted();
              scheduler.actorEnded(this, ending, failure);
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  void checkAlive() {
    if (!process.isAlive()) {
      throw new Killed(name);
    }
  }

  /** Ends the actor's wait, and it finds itself interrupted. */
  public void interrupt() {
    interrupted = true;
    scheduler.resume(this, turn, 0);
  }

  /**
   * Waits until somebody resumes this turn; called on the actor's thread. What happens on the
   * thread meanwhile are other processes' doings, which this one's interrupt must not reach.
   */
  public void yield() {
    interrupted |= Thread.interrupted();
    scheduler.leave(this);
    turn++;
    checkAlive();
    if (interrupted) {
      interrupted = false;
      thread.interrupt();
    }
  }

  /** Gives the baton to this actor. */
  void take() {
    baton.release();
  }

  /** Waits for the baton. */
  void awaitBaton() {
    baton.acquireUninterruptibly();
  }

  /** Waits, in real time, until the thread has ended. */
  void join(long deadlineMs) throws InterruptedException {
    thread.join(deadlineMs);
    if (thread.isAlive()) {
      throw new IllegalStateException(name + " does not end");
    }
  }

  @Override
  public String toString() {
    return name;
  }
}

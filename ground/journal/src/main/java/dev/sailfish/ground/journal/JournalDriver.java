package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a state machine its calls, one at a time, with the time, and finds out whether this peer
 * leads. May be used from any thread. Changes are submitted to the journal itself.
 *
 * <p>This peer leads from when its first entry has been applied until the journal says otherwise.
 * The clock goes on from the time of the last entry: time in which nobody led does not count.
 */
public final class JournalDriver implements Journal.Machine, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalDriver.class);

  /**
   * Something done with the state while nobody else does anything with it.
   *
   * @param <T> what comes of it
   * @param <X> what it may throw
   */
  public interface Call<T, X extends Exception> {
    /** Does it; waits for nothing. */
    T at(long nowMs) throws X;
  }

  private final Journal journal;
  private final StateMachine machine;
  private final Consumer<Throwable> errors;

  // Guarded by this object's monitor, in which nothing of the journal is called but term().
  private final SteadyClock clock;
  private long clockOffsetMs;
  private long appliedMs;
  private long ledTerm;

  // Of the thread that calls tick().
  private CompletableFuture<?> beginning = CompletableFuture.completedFuture(null);

  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final CompletableFuture<Void> led = new CompletableFuture<>();

  /**
   * @param journal closed with this object
   * @param clock read by this object alone
   * @param errors is given what made the journal fail, on any thread, before anybody else knows:
   *     after an Error this process should end
   */
  public JournalDriver(
      Journal journal, StateMachine machine, SteadyClock clock, Consumer<Throwable> errors) {
    this.journal = journal;
    this.machine = machine;
    this.clock = clock;
    this.errors = errors;
  }

  /**
   * Reads the journal.
   *
   * @throws IOException when it cannot be used
   */
  public void open() throws IOException {
    try {
      journal.start(this);
    } catch (IOException | RuntimeException e) {
      errors.accept(e);
      throw e;
    }
  }

  /**
   * Waits until this peer leads for the first time; for one without peers.
   *
   * @throws IOException when that takes too long
   */
  public void awaitLead(long seconds) throws IOException {
    try {
      led.get(seconds, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "the journal has not become usable in "
              + seconds
              + " s: "
              + failure.getNow("it is still being read"),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the journal was read");
    }
  }

  /** Completes with what happened when the journal fails. */
  public CompletableFuture<String> failure() {
    return failure;
  }

  /**
   * Follows the journal's word on who leads; to be called some times a second, by one thread.
   *
   * @return whether this peer leads
   */
  public boolean tick() {
    long term = journal.term();
    boolean begin;
    synchronized (this) {
      if (ledTerm != 0 && ledTerm != term) {
        LOG.warn("this peer does not lead any more");
        ledTerm = 0;
        machine.follow();
      }
      nowMs();
      begin = term != 0 && ledTerm == 0 && beginning.isDone();
      if (begin) {
        goOn();
      }
    }
    if (begin) {
      beginning =
          journal.submit(machine.firstEntry()).whenComplete((reply, error) -> began(error, term));
    }
    return isLeading();
  }

  /** All entries there are have been applied: it is as late as with the last one. */
  private void goOn() {
    clockOffsetMs = appliedMs - clock.nowMs();
  }

  private void began(Throwable error, long term) {
    if (error != null || journal.term() != term) {
      LOG.warn("the first entry as the leader was not taken, and comes again: {}", error, error);
      return;
    }
    synchronized (this) {
      goOn();
      machine.lead(nowMs());
      ledTerm = term;
    }
    LOG.info("this peer leads");
    led.complete(null);
  }

  /** Whether requests are served here now. */
  public synchronized boolean isLeading() {
    return ledTerm != 0 && ledTerm == journal.term();
  }

  /** Does something with the state as it is here, whether this peer leads or not. */
  public synchronized <T, X extends Exception> T look(Call<T, X> call) throws X {
    return call.at(nowMs());
  }

  // ---- the journal's calls

  @Override
  public synchronized long nowMs() {
    return clockOffsetMs + clock.nowMs();
  }

  @Override
  public synchronized byte[] apply(byte[] entry, long timeMs) {
    appliedMs = Math.max(appliedMs, timeMs);
    return machine.apply(entry, appliedMs);
  }

  @Override
  public void applied() {
    machine.applied();
  }

  @Override
  public synchronized StateView freeze() {
    StateView view = machine.freeze();
    return new StateView() {
      @Override
      public boolean write(OutputStream out) throws IOException {
        synchronized (JournalDriver.this) {
          return view.write(out);
        }
      }

      @Override
      public void close() {
        synchronized (JournalDriver.this) {
          view.close();
        }
      }
    };
  }

  @Override
  public void load(InputStream in) throws IOException {
    synchronized (this) {
      if (ledTerm != 0) {
        ledTerm = 0;
        machine.follow();
      }
    }
    long loadedMs = machine.load(in);
    synchronized (this) {
      appliedMs = loadedMs;
    }
  }

  @Override
  public void failed(String what, Throwable cause) {
    if (!failure.isDone()) {
      LOG.error("{}", what, cause);
    }
    errors.accept(cause);
    failure.complete(what);
  }

  @Override
  public void close() {
    journal.close();
  }
}

package dev.sailfish.ground.replica;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.journal.JournalDriver;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.journal.StateMachine;
import dev.sailfish.ground.journal.SteadyClock;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.JournalRequest;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state that a journal keeps the same on all peers, and the way to it for requests. The peer that
 * leads changes and reads it; the others refuse with NOT_LEADER, and their callers ask elsewhere.
 * Requests are answered on the journal's thread. Thread-safe.
 */
public final class Replica implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Replica.class);
  private static final long TICK_MS = 50;
  private static final long MAX_CLOCK_STEP_MS = 5000;
  private static final long LEAD_DEADLINE_S = 300;

  private final Journal journal;
  private final JournalDriver driver;
  private final JournalAnswers answers;
  private final ScheduledExecutorService timer;

  /** Makes the answer of a change out of what the state machine has replied. */
  @FunctionalInterface
  public interface Answer {
    /**
     * @throws RequestRefusedException to refuse the request
     */
    MessageLite of(byte[] reply) throws IOException;
  }

  /**
   * Opens nothing yet.
   *
   * @param peers the way to the other peers
   * @param machine the state; called as {@link StateMachine} says
   */
  public Replica(JournalSettings settings, JournalPeers peers, StateMachine machine) {
    this(settings, peers, machine, peers.network());
  }

  /**
   * The same, by another clock than that of the network.
   *
   * @param clock may jump: the state's time goes on from where it was
   */
  public Replica(JournalSettings settings, JournalPeers peers, StateMachine machine, Clock clock) {
    journal = Journal.of(settings, peers);
    answers = new JournalAnswers(settings.service());
    SteadyClock steady = new SteadyClock(clock::nanoTime, MAX_CLOCK_STEP_MS);
    driver = new JournalDriver(journal, machine, steady, ErrorGuard::check);
    timer = new GuardedTimer(settings.service() + "-timer");
  }

  /**
   * Reads the journal. To be called before the port is opened: other peers may come at once.
   *
   * @throws IOException when it cannot be used
   */
  public void open() throws IOException {
    driver.open();
  }

  /**
   * Leads as soon as the journal lets it; without peers it does when this returns.
   *
   * @throws IOException when the journal cannot be read in time
   */
  public void start() throws IOException {
    timer.scheduleWithFixedDelay(driver::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
    if (!journal.hasPeers()) {
      driver.awaitLead(LEAD_DEADLINE_S);
    }
  }

  /** Whether requests are served here now. */
  public boolean isLeading() {
    return driver.isLeading();
  }

  /** Whether this peer leads, or hears one that does and is not far behind it. */
  public boolean keepsUp() {
    return journal.keepsUp();
  }

  /** Completes with a sentence when the journal fails: the process must end then. */
  public CompletableFuture<String> failure() {
    return driver.failure();
  }

  /** How late it is by the journal's clock, in milliseconds; for the peer that leads. */
  public long nowMs() {
    return driver.nowMs();
  }

  /** Looks at the state. */
  @FunctionalInterface
  public interface View<T, X extends Exception> {
    /** Called under the driver's lock: what it gives must not change with the state. */
    T get() throws X;
  }

  /** Looks at the state as it is here, whether this peer leads or not. */
  public <T, X extends Exception> T look(View<T, X> view) throws X {
    return driver.look(now -> view.get());
  }

  /**
   * Has an entry kept by most peers and applied, and then the request answered.
   *
   * @param entry belongs to the journal from here on
   * @throws RequestRefusedException when this peer does not lead
   */
  public void change(Request request, byte[] entry, Answer answer) throws RequestRefusedException {
    requireLead();
    answers.answer(request, journal.submit(entry), reply -> request.reply(answer.of(reply)));
  }

  /**
   * The same, for who has to know when the entry is applied or refused.
   *
   * @param ended run once before the request is answered, on any thread
   */
  public void change(Request request, byte[] entry, Runnable ended, Answer answer) {
    CompletableFuture<byte[]> made =
        isLeading() ? journal.submit(entry) : CompletableFuture.failedFuture(notLeading());
    answers.answer(
        request,
        made.whenComplete((reply, error) -> ended.run()),
        reply -> request.reply(answer.of(reply)));
  }

  /** What follows for a request. */
  @FunctionalInterface
  public interface Then {
    /**
     * @throws RequestRefusedException to refuse the request
     */
    void run() throws IOException;
  }

  /** Goes on with a request once something is done, however that ended; at once if it is. */
  public void after(Request request, CompletableFuture<?> done, Then then) {
    answers.answer(request, done.handle((result, error) -> true), yes -> then.run());
  }

  /**
   * Has an entry kept and applied for which nobody waits; without success if this peer does not
   * lead, or stops meanwhile.
   *
   * @param entry belongs to the journal from here on
   */
  public void change(byte[] entry) {
    journal
        .submit(entry)
        .whenComplete(
            (reply, error) -> {
              ErrorGuard.check(error);
              if (error != null) {
                LOG.warn(
                    "an entry was not taken: service={} {}", answers.service(), error.toString());
              }
            });
  }

  /**
   * Has an entry kept and applied; entries of one thread in their order.
   *
   * @param entry belongs to the journal from here on
   * @return completes on the journal's thread with the reply, or with why it was not taken
   */
  public CompletableFuture<byte[]> submit(byte[] entry) {
    return journal.submit(entry);
  }

  /** What a caller is told for whom an entry was submitted that was not taken. */
  public RequestRefusedException refusal(Throwable error) {
    return answers.refusal(error);
  }

  /**
   * Answers a request with what the state says, once that has all that was ever acknowledged.
   *
   * @throws RequestRefusedException when this peer does not lead
   */
  public void read(Request request, Supplier<MessageLite> view) throws RequestRefusedException {
    requireLead();
    answers.confirmed(request, journal.confirm(), certain -> request.reply(look(view::get)));
  }

  private void requireLead() throws RequestRefusedException {
    if (!isLeading()) {
      throw notLeading();
    }
  }

  private RequestRefusedException notLeading() {
    return new RequestRefusedException(
        Status.NOT_LEADER, "this " + answers.service() + " does not lead: ask the others");
  }

  /** Takes what another peer's journal tells this one's. */
  public void receive(Request request, JournalRequest message) {
    answers.receive(journal, request, message);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    driver.close();
  }
}

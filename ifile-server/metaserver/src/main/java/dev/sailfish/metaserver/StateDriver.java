package dev.sailfish.metaserver;

import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.ForgetKeys;
import dev.sailfish.metaserver.wire.HandOver;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.transport.ErrorGuard;
import dev.sailfish.transport.Request;
import dev.sailfish.transport.RequestRefusedException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the core its calls, one at a time, with the time; has changes journaled before they are
 * made; and keeps heartbeats waiting until there is something to tell or their time is up. May be
 * used from any thread.
 *
 * <p>Requests are served only while this metaserver leads. It does so from when its first entry
 * ({@link Lead}) has been applied until the journal says otherwise. The clock goes on from the time
 * of the last entry: time in which nobody led does not count.
 */
final class StateDriver implements Journal.Machine, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StateDriver.class);

  /** How often time is let pass, in milliseconds. */
  static final long TICK_MS = 100;

  /** One call of the core. */
  interface Call<T> {
    T on(MetaserverState state, long nowMs) throws RequestRefusedException;
  }

  /** A heartbeat that is not answered yet. */
  private record Waiting(Request request, long untilMs) {}

  /** An answer that is given after the lock is left. */
  private record Answer(Request request, HeartbeatResponse response) {}

  private final Journal journal;
  private final Supplier<MetaserverState> fresh;
  private final Supplier<Lead> lead;
  private final Supplier<Brake> freshBrake;
  private final ServerProbe probe;

  // Guarded by this object's monitor, in which nothing of the journal is called but term().
  private MetaserverState state;
  private final SteadyClock clock;
  private Brake brake;
  private long clockOffsetMs;
  private long ledTerm;
  private final Map<String, Waiting> heartbeats = new LinkedHashMap<>();

  // Of the timer's thread.
  private CompletableFuture<?> beginning = CompletableFuture.completedFuture(null);
  private CompletableFuture<?> decisions = CompletableFuture.completedFuture(null);

  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final CompletableFuture<Void> led = new CompletableFuture<>();
  private final ScheduledExecutorService timer;

  /**
   * @param fresh makes a core that knows nothing
   * @param lead what this metaserver says when it begins to lead
   * @param timer one thread, on which time is let pass; is shut down with this object
   * @param freshBrake makes a brake that has seen nothing
   * @param probe asks chunkservers that are silent
   */
  StateDriver(
      Journal journal,
      Supplier<MetaserverState> fresh,
      SteadyClock clock,
      Supplier<Lead> lead,
      ScheduledExecutorService timer,
      Supplier<Brake> freshBrake,
      ServerProbe probe) {
    this.journal = journal;
    this.fresh = fresh;
    this.lead = lead;
    this.state = fresh.get();
    this.clock = clock;
    this.timer = timer;
    this.freshBrake = freshBrake;
    this.brake = freshBrake.get();
    this.probe = probe;
  }

  /**
   * Reads the journal.
   *
   * @throws IOException when it cannot be used
   */
  void open() throws IOException {
    journal.start(this);
  }

  /** Begins to lead as soon as the journal lets it, and to let time pass. */
  void start() {
    timer.scheduleWithFixedDelay(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Completes when this metaserver leads for the first time. */
  CompletableFuture<Void> led() {
    return led;
  }

  /** Completes with what happened when the journal fails. */
  CompletableFuture<String> failure() {
    return failure;
  }

  // ---- the timer's thread
  // ------------------------------------------------------------------------

  private void tick() {
    try {
      long term = journal.term();
      followTerm(term);
      if (term != 0 && isLeading()) {
        decide();
      }
    } catch (Error e) {
      ErrorGuard.check(e);
      throw e;
    } catch (RuntimeException e) {
      LOG.error("a tick of the clock failed, and the clock goes on", e);
    }
  }

  private void followTerm(long term) {
    List<Answer> answers = new ArrayList<>();
    boolean begin;
    synchronized (this) {
      if (ledTerm != 0 && ledTerm != term) {
        LOG.warn("this metaserver does not lead any more");
        ledTerm = 0;
        state.endLeading();
        brake = freshBrake.get();
      }
      collectAnswers(now(), answers);
      begin = term != 0 && ledTerm == 0 && beginning.isDone();
    }
    reply(answers);
    if (begin) {
      JournalEntry.Builder first = JournalEntry.newBuilder().setLead(lead.get());
      beginning = submit(first).whenComplete((reply, error) -> began(reply, term));
    }
  }

  private void began(JournalReply reply, long term) {
    if (reply == null || reply.getStatus() != 0 || journal.term() != term) {
      LOG.warn("the first entry as the leader was not taken, and comes again");
      return;
    }
    synchronized (this) {
      clockOffsetMs = state.timeMs() - clock.nowMs();
      state.beginLeading(now());
      brake = freshBrake.get();
      ledTerm = term;
    }
    LOG.info("this metaserver leads");
    led.complete(null);
  }

  /** What time brings about: dead chunkservers, jobs that nobody names, copies for drains. */
  private void decide() {
    if (!decisions.isDone()) {
      return;
    }
    List<JournalEntry.Builder> entries = new ArrayList<>();
    List<Asked> ask = new ArrayList<>();
    synchronized (this) {
      long now = now();
      Brake.Verdict verdict = brake.judge(state.liveServers(), now);
      verdict.ask().forEach(server -> ask.add(Asked.of(server)));
      for (Chunkserver server : verdict.dead()) {
        entries.add(
            JournalEntry.newBuilder()
                .setDied(
                    ServerDied.newBuilder()
                        .setServerId(server.id())
                        .setSilentMs(now - server.lastHeardMs())));
      }
      List<String> unused = state.unusedKeys(now);
      if (!unused.isEmpty()) {
        entries.add(
            JournalEntry.newBuilder().setForgetKeys(ForgetKeys.newBuilder().addAllJobs(unused)));
      }
      for (HandOver copy : state.handOvers(now)) {
        entries.add(JournalEntry.newBuilder().setHandOver(copy));
      }
      for (Job job : state.expired(now)) {
        String reason = "nobody named it in " + (now - job.renewedMs()) + " ms";
        entries.add(end(job.name(), EndJob.Cause.LEASE, reason));
      }
    }
    decisions =
        CompletableFuture.allOf(
            entries.stream().map(this::submit).toArray(CompletableFuture<?>[]::new));
    ask.forEach(this::ask);
  }

  /** A chunkserver that is to be connected to, as it was when that was decided. */
  private record Asked(String id, String host, int port, long heardMs) {
    static Asked of(Chunkserver server) {
      return new Asked(server.id(), server.host(), server.port(), server.lastHeardMs());
    }
  }

  private void ask(Asked server) {
    probe
        .ask(server.host(), server.port())
        .thenAccept(
            answer -> {
              synchronized (this) {
                brake.answered(server.id(), server.heardMs(), answer);
              }
            });
  }

  /** What there is in the core and what the brake sees now; a new map. */
  synchronized Map<MetaserverMetric, Long> gauges() {
    Map<MetaserverMetric, Long> gauges = state.gauges();
    gauges.put(MetaserverMetric.LEADS, isLeading() ? 1L : 0L);
    gauges.put(MetaserverMetric.CHUNKSERVERS_SILENT, (long) brake.silent());
    gauges.put(MetaserverMetric.BRAKE_ON, brake.phase() == BrakePhase.ON ? 1L : 0L);
    return gauges;
  }

  /** What people are told while the brake is on; empty while it is not. */
  synchronized String brakeSentence() {
    return brake.sentence();
  }

  // ---- calls
  // -------------------------------------------------------------------------------------

  private long now() {
    return clockOffsetMs + clock.nowMs();
  }

  /** Whether requests are served here now. */
  synchronized boolean isLeading() {
    return ledTerm != 0 && ledTerm == journal.term();
  }

  /** Whether this metaserver leads, or hears one that does. */
  boolean hasLeader() {
    return journal.hasLeader();
  }

  /** Looks at the core as it is here, whether this metaserver leads or not. */
  synchronized <T> T look(Call<T> call) {
    try {
      return call.on(state, now());
    } catch (RequestRefusedException e) {
      throw new IllegalStateException("a look is never refused", e);
    }
  }

  /**
   * Makes a call that changes nothing, or only what the leader alone knows.
   *
   * @throws RequestRefusedException NOT_LEADER, or what the call says
   */
  synchronized <T> T lead(Call<T> call) throws RequestRefusedException {
    if (!isLeading()) {
      throw new RequestRefusedException(Status.NOT_LEADER, notLeader());
    }
    return call.on(state, now());
  }

  private String notLeader() {
    String address = state.lead().getAddress();
    return journal.hasPeers()
        ? "this metaserver does not lead; the last one that did: leader=" + address
        : "this metaserver has not read its journal yet";
  }

  /** Completes when a call of {@link #lead} sees all that was ever acknowledged. */
  CompletableFuture<Boolean> confirm() {
    // One that does not lead refuses the call anyway, and says who does.
    return isLeading() ? journal.confirm() : CompletableFuture.completedFuture(true);
  }

  /** Hands what another metaserver's journal tells to this one's; see {@link Journal#receive}. */
  CompletableFuture<byte[]> receive(int kind, byte[] message) throws RequestRefusedException {
    return journal.receive(kind, message);
  }

  /**
   * Has a change journaled and made. Does not wait. The reply may come at once, or on a thread of
   * the journal, which must not wait either.
   */
  CompletableFuture<JournalReply> change(JournalEntry.Builder entry) {
    synchronized (this) {
      if (!isLeading()) {
        return CompletableFuture.completedFuture(
            EntryApplier.refused(Status.NOT_LEADER, notLeader()));
      }
      if (entry.hasBind()) {
        entry.addAllUses(state.freshUses());
      }
      if (entry.hasRegister()) {
        String server = entry.getRegister().getRequest().getServerId();
        entry.setRegister(
            entry.getRegister().toBuilder().setDrainConfirmed(state.isDrainConfirmed(server)));
      }
    }
    return submit(entry);
  }

  private CompletableFuture<JournalReply> submit(JournalEntry.Builder entry) {
    long now;
    synchronized (this) {
      now = now();
    }
    return journal.submit(entry.setVersion(EntryApplier.VERSION).setTimeMs(now).build());
  }

  /** The entry that ends a job. */
  static JournalEntry.Builder end(String job, EndJob.Cause cause, String reason) {
    return JournalEntry.newBuilder()
        .setEnd(EndJob.newBuilder().setJob(job).setCause(cause).setReason(reason));
  }

  // ---- the journal's calls
  // -----------------------------------------------------------------------

  @Override
  public JournalReply apply(JournalEntry entry) {
    List<Answer> answers = new ArrayList<>();
    try {
      synchronized (this) {
        JournalReply reply = EntryApplier.apply(state, entry);
        collectAnswers(now(), answers);
        return reply;
      }
    } finally {
      reply(answers);
    }
  }

  @Override
  public synchronized void save(OutputStream out) throws IOException {
    StateSnapshot.write(state, out);
  }

  @Override
  public void load(InputStream in) throws IOException {
    MetaserverState loaded = fresh.get();
    synchronized (this) {
      // There is not memory for both.
      loaded.takeMemoryOf(state);
      state = fresh.get();
      ledTerm = 0;
    }
    SnapshotReader.read(in, loaded);
    synchronized (this) {
      state = loaded;
    }
  }

  @Override
  public void failed(String what, Throwable cause) {
    if (!failure.isDone()) {
      LOG.error("{}", what, cause);
    }
    failure.complete(what);
  }

  // ---- heartbeats
  // --------------------------------------------------------------------------------

  /** Takes a heartbeat without news of chunks, and answers it now or later. */
  void heartbeat(Request request, HeartbeatRequest heartbeat) throws RequestRefusedException {
    String session = String.valueOf(request.peer());
    List<Answer> answers = new ArrayList<>();
    synchronized (this) {
      lead(
          (core, now) -> {
            core.heartbeat(heartbeat, session, now);
            long asked = Integer.toUnsignedLong(heartbeat.getMaxWaitMs());
            long until = now + Math.min(asked, core.heartbeatMs());
            Waiting before = heartbeats.put(heartbeat.getServerId(), new Waiting(request, until));
            if (before != null) {
              answers.add(new Answer(before.request(), HeartbeatResponse.getDefaultInstance()));
            }
            return null;
          });
      collectAnswers(now(), answers);
    }
    reply(answers);
  }

  /** Finds the heartbeats that are due. */
  private void collectAnswers(long now, List<Answer> answers) {
    Iterator<Map.Entry<String, Waiting>> all = heartbeats.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Waiting> entry = all.next();
      Waiting waiting = entry.getValue();
      if (!waiting.request().connected()) {
        // Nobody reads this answer: commands stay for the next heartbeat.
        answers.add(new Answer(waiting.request(), HeartbeatResponse.getDefaultInstance()));
        all.remove();
      } else if (state.hasNews(entry.getKey()) || now >= waiting.untilMs()) {
        answers.add(new Answer(waiting.request(), state.takeCommands(entry.getKey())));
        all.remove();
      }
    }
  }

  private static void reply(List<Answer> answers) {
    answers.forEach(answer -> answer.request().reply(answer.response()));
  }

  @Override
  public void close() {
    timer.shutdownNow();
    journal.close();
  }
}

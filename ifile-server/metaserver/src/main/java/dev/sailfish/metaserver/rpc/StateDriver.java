package dev.sailfish.metaserver.rpc;

import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.journal.JournalDriver;
import dev.sailfish.ground.journal.StateMachine;
import dev.sailfish.ground.journal.StateView;
import dev.sailfish.ground.journal.SteadyClock;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.state.Brake;
import dev.sailfish.metaserver.state.EntryApplier;
import dev.sailfish.metaserver.state.MetaserverState;
import dev.sailfish.metaserver.state.ServerProbe;
import dev.sailfish.metaserver.state.SnapshotReader;
import dev.sailfish.metaserver.state.StateSnapshot;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The core on its journal: lets time pass and has what that brings about journaled, and keeps
 * heartbeats waiting until there is something to tell or their time is up. May be used from any
 * thread. Requests are served only while this metaserver leads.
 */
public final class StateDriver implements StateMachine, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StateDriver.class);

  /** One call of the core. */
  public interface Call<T> {
    /**
     * Looks at the core or changes it; waits for nothing, and keeps nothing of the core.
     *
     * @throws RequestRefusedException what the caller is told instead of an answer
     */
    T on(MetaserverState state, long nowMs) throws RequestRefusedException;
  }

  /** A heartbeat that is not answered yet. */
  private record Waiting(Request request, long untilMs) {}

  private final Journal journal;
  private final JournalDriver replica;
  private final Supplier<MetaserverState> fresh;
  private final Supplier<Lead> lead;
  private final ServerProbe probe;

  // Guarded by the replica: used in its looks and in its calls.
  private MetaserverState state;
  private final Map<String, Waiting> heartbeats = new LinkedHashMap<>();

  // Of the timer's thread.
  private CompletableFuture<?> decisions = CompletableFuture.completedFuture(null);
  private final ScheduledExecutorService timer;

  /**
   * @param fresh makes a core that knows nothing
   * @param lead what this metaserver says when it begins to lead
   * @param timer one thread, on which time is let pass; is shut down with this object
   * @param probe asks chunkservers that are silent
   */
  public StateDriver(
      Journal journal,
      Supplier<MetaserverState> fresh,
      SteadyClock clock,
      Supplier<Lead> lead,
      ScheduledExecutorService timer,
      ServerProbe probe) {
    this.journal = journal;
    this.replica = new JournalDriver(journal, this, clock, ErrorGuard::check);
    this.fresh = fresh;
    this.lead = lead;
    this.state = fresh.get();
    this.timer = timer;
    this.probe = probe;
  }

  /** Where changes go, and messages of other metaservers' journals. */
  Journal journal() {
    return journal;
  }

  /** What calls the core. */
  public JournalDriver replica() {
    return replica;
  }

  /** Begins to lead as soon as the journal lets it, and to let time pass. */
  public void start() {
    timer.scheduleWithFixedDelay(this::tick, 0, Brake.TICK_MS, TimeUnit.MILLISECONDS);
  }

  // ---- the timer's thread

  private void tick() {
    try {
      boolean leads = replica.tick();
      applied();
      if (leads && decisions.isDone()) {
        decide();
      }
    } catch (Error e) {
      ErrorGuard.check(e);
      throw e;
    } catch (RuntimeException e) {
      LOG.error("a tick of the clock failed, and the clock goes on", e);
    }
  }

  private void decide() {
    MetaserverState.Due due = look(MetaserverState::due);
    decisions =
        CompletableFuture.allOf(
            due.entries().stream().map(this::submit).toArray(CompletableFuture<?>[]::new));
    due.ask().forEach(this::ask);
  }

  private void ask(MetaserverState.SilentServer server) {
    probe
        .ask(server.host(), server.port())
        .thenAccept(
            answer ->
                look(
                    (core, now) -> {
                      core.desk().brake().answered(server.id(), server.heardMs(), answer);
                      return null;
                    }));
  }

  /** What there is in the core now; a new map. */
  public Map<MetaserverMetric, Long> gauges() {
    return look(
        (core, now) -> {
          Map<MetaserverMetric, Long> gauges = core.gauges();
          gauges.put(MetaserverMetric.LEADS, isLeading() ? 1L : 0L);
          return gauges;
        });
  }

  // ---- calls

  /** Whether requests are served here now. */
  public boolean isLeading() {
    return replica.isLeading();
  }

  /** Whether this metaserver leads, or hears one that does and is not far behind it. */
  public boolean keepsUp() {
    return journal.keepsUp();
  }

  /** Looks at the core as it is here, whether this metaserver leads or not. */
  public <T> T look(Call<T> call) {
    try {
      return replica.look(now -> call.on(state, now));
    } catch (RequestRefusedException e) {
      throw new IllegalStateException("a look is never refused", e);
    }
  }

  /**
   * Makes a call that changes nothing, or only what the leader alone knows.
   *
   * @throws RequestRefusedException NOT_LEADER, or what the call says
   */
  <T> T lead(Call<T> call) throws RequestRefusedException {
    return replica.look(
        now -> {
          if (!isLeading()) {
            throw new RequestRefusedException(
                Status.NOT_LEADER,
                journal.hasPeers()
                    ? "this metaserver does not lead; the last one that did: leader="
                        + state.lead().getAddress()
                    : "this metaserver has not read its journal yet");
          }
          return call.on(state, now);
        });
  }

  /** Completes when a call of {@link #lead} sees all that was ever acknowledged. */
  CompletableFuture<Boolean> confirm() {
    // One that does not lead refuses the call anyway, and says who does.
    return isLeading() ? journal.confirm() : CompletableFuture.completedFuture(true);
  }

  /**
   * Has a change journaled and made. Does not wait. The reply may come at once, or on a thread of
   * the journal, which must not wait either; or a {@link RequestRefusedException}.
   */
  public CompletableFuture<JournalReply> change(JournalEntry.Builder entry) {
    try {
      lead(
          (core, now) -> {
            if (entry.hasBind()) {
              entry.addAllUses(core.desk().freshUses());
            }
            if (entry.hasRegister()) {
              String server = entry.getRegister().getRequest().getServerId();
              boolean confirmed = core.desk().isDrainConfirmed(server);
              entry.setRegister(entry.getRegister().toBuilder().setDrainConfirmed(confirmed));
            }
            return null;
          });
    } catch (RequestRefusedException e) {
      return CompletableFuture.failedFuture(e);
    }
    return submit(entry);
  }

  private CompletableFuture<JournalReply> submit(JournalEntry.Builder entry) {
    return journal.submit(bytes(entry)).handle(StateDriver::reply);
  }

  private static byte[] bytes(JournalEntry.Builder entry) {
    return entry.setVersion(EntryApplier.VERSION).build().toByteArray();
  }

  private static JournalReply reply(byte[] bytes, Throwable error) {
    try {
      if (error != null) {
        throw RequestDispatch.ANSWERS.refusal(error);
      }
      JournalReply reply = JournalReply.parseFrom(bytes);
      if (reply.getStatus() != 0) {
        throw new RequestRefusedException(Status.ofCode(reply.getStatus()), reply.getMessage());
      }
      return reply;
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  // ---- the journal's calls

  @Override
  public byte[] apply(byte[] entry, long timeMs) {
    try {
      return EntryApplier.apply(state, JournalEntry.parseFrom(entry), timeMs).toByteArray();
    } catch (IOException e) {
      throw new IllegalArgumentException("entry is damaged: " + e.getMessage(), e);
    }
  }

  @Override
  public StateView freeze() {
    return new StateSnapshot(state);
  }

  @Override
  public long load(InputStream in) throws IOException {
    MetaserverState loaded = fresh.get();
    look(
        (before, now) -> {
          // There is not memory for both.
          loaded.jobs().takeMemoryOf(before.jobs());
          state = fresh.get();
          return null;
        });
    SnapshotReader.read(in, loaded);
    return look(
        (empty, now) -> {
          state = loaded;
          return loaded.timeMs();
        });
  }

  @Override
  public byte[] firstEntry() {
    return bytes(JournalEntry.newBuilder().setLead(lead.get()));
  }

  @Override
  public void lead(long nowMs) {
    state.beginLeading(nowMs);
  }

  @Override
  public void follow() {
    state.endLeading();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    replica.close();
  }

  // ---- heartbeats

  /** Takes a heartbeat without news of chunks, and answers it now or later. */
  void heartbeat(Request request, HeartbeatRequest heartbeat) throws RequestRefusedException {
    Waiting before =
        lead(
            (core, now) -> {
              core.heartbeat(heartbeat, String.valueOf(request.peer()), now);
              long asked = Integer.toUnsignedLong(heartbeat.getMaxWaitMs());
              long until = now + Math.min(asked, core.desk().heartbeatMs());
              return heartbeats.put(heartbeat.getServerId(), new Waiting(request, until));
            });
    if (before != null) {
      before.request().reply(HeartbeatResponse.getDefaultInstance());
    }
    applied();
  }

  /** Answers the heartbeats that are due. */
  @Override
  public void applied() {
    List<Runnable> answers = new ArrayList<>(); // given when the lock is left
    look(
        (core, now) -> {
          Iterator<Map.Entry<String, Waiting>> all = heartbeats.entrySet().iterator();
          while (all.hasNext()) {
            Map.Entry<String, Waiting> entry = all.next();
            Waiting waiting = entry.getValue();
            if (!waiting.request().connected()) {
              // Nobody reads this answer: commands stay for the next heartbeat.
              answers.add(() -> waiting.request().reply(HeartbeatResponse.getDefaultInstance()));
              all.remove();
            } else if (core.desk().hasNews(entry.getKey()) || now >= waiting.untilMs()) {
              HeartbeatResponse commands = core.desk().takeCommands(entry.getKey());
              answers.add(() -> waiting.request().reply(commands));
              all.remove();
            }
          }
          return null;
        });
    answers.forEach(Runnable::run);
  }
}

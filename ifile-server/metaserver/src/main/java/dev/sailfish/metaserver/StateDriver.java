package dev.sailfish.metaserver;

import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.transport.Request;
import dev.sailfish.transport.RequestRefusedException;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the core its calls, one at a time, with the time; and keeps heartbeats waiting until there
 * is something to tell or their time is up. May be used from any thread.
 */
final class StateDriver implements Closeable {
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

  // Guarded by this object's monitor.
  private final MetaserverState state;
  private final SteadyClock clock;
  private final Map<String, Waiting> heartbeats = new LinkedHashMap<>();

  private final ScheduledExecutorService timer;

  StateDriver(MetaserverState state, SteadyClock clock) {
    this.state = state;
    this.clock = clock;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, Metaserver.NAME + "-timer");
              thread.setDaemon(true);
              return thread;
            });
  }

  void start() {
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    try {
      apply(
          (core, now) -> {
            core.tick(now);
            return null;
          });
    } catch (RequestRefusedException | RuntimeException e) {
      LOG.error("a tick of the clock failed, and the clock goes on", e);
    }
  }

  /** Makes one call; whoever waits for what it brought about is answered. */
  <T> T apply(Call<T> call) throws RequestRefusedException {
    List<Answer> answers = new ArrayList<>();
    try {
      synchronized (this) {
        long now = clock.nowMs();
        T result = call.on(state, now);
        collectAnswers(now, answers);
        return result;
      }
    } finally {
      answers.forEach(answer -> answer.request().reply(answer.response()));
    }
  }

  /** Takes a heartbeat, and answers it now or later. */
  void heartbeat(Request request, HeartbeatRequest heartbeat) throws RequestRefusedException {
    String server = heartbeat.getServerId();
    String session = String.valueOf(request.peer());
    long wait = Math.min(Integer.toUnsignedLong(heartbeat.getMaxWaitMs()), state.heartbeatMs());
    List<Answer> superseded = new ArrayList<>();
    apply(
        (core, now) -> {
          core.heartbeat(heartbeat, session, now);
          Waiting before = heartbeats.put(server, new Waiting(request, now + wait));
          if (before != null) {
            superseded.add(new Answer(before.request(), HeartbeatResponse.getDefaultInstance()));
          }
          return null;
        });
    superseded.forEach(answer -> answer.request().reply(answer.response()));
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

  @Override
  public void close() {
    timer.shutdownNow();
  }
}

package dev.sailfish.metaserver.state;

import dev.sailfish.metaserver.state.ServerProbe.Answer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which silent chunkservers are given up, so that a fault of the metaserver's own, its
 * pause or its network, does not cost the chunks of all. What is given up is deleted when its
 * server comes back, so it must not be done on the word of a clock alone when much is at stake.
 *
 * <p>A server that is silent for {@code deadAfterMs} is given up, as long as most others are heard.
 * When, at that moment, half of the live servers or more, and at least two, have been silent for
 * half of that time, or when nobody is heard at all, only those are given up whose port refuses a
 * connection, or that are silent for {@code massDeadAfterMs}. One server of two that falls silent
 * is no such case: the other one shows that the metaserver hears. {@link Phase} has the arrows.
 *
 * <p>Of a leader, from when it begins to lead until it does not any more. Not thread-safe; does no
 * I/O and reads no clock.
 */
public final class Brake {
  private static final Logger LOG = LoggerFactory.getLogger(Brake.class);

  /** How often {@link #judge} has to be called, in milliseconds. */
  public static final long TICK_MS = 100;

  private static final long LEAST_LATE_MS = 10 * TICK_MS;

  private final long deadAfterMs;
  private final long massDeadAfterMs;
  private final long graceMs;
  private final Map<String, Asked> asked = new HashMap<>();
  private Phase phase = Phase.OFF;
  private long judgedMs = Long.MIN_VALUE;
  private long graceUntilMs;
  private boolean ownPause;
  private int live;
  private int silent;

  /**
   * How silent chunkservers are judged.
   *
   * <pre>
   *          half or more are silent
   *     OFF ────────────────────────▶ ON
   *    │ ▲ ◀──────────────────────── ▲ │
   *    │ │   nobody is silent        │ │
   *    │ │                           │ │ fewer are silent
   *    │ └──────── GRACE ────────────┘ │
   *    │    over   ▲  ▲   over, and half or more are silent
   *    └───────────┘  └────────────────┘
   *     the metaserver stood still
   * </pre>
   */
  enum Phase {
    /** Who is silent for long enough is given up. */
    OFF,
    /** Half of the servers or more are silent: only who is known to be gone is given up. */
    ON,
    /** Servers get time to be heard again; as ON. */
    GRACE;

    /** Whether the table has this arrow. */
    boolean mayBecome(Phase next) {
      return next().contains(next);
    }

    private Set<Phase> next() {
      return switch (this) {
        case OFF -> EnumSet.of(ON, GRACE);
        case ON -> EnumSet.of(OFF, GRACE);
        case GRACE -> EnumSet.of(OFF, ON);
      };
    }
  }

  /** A try to connect to a server; void once the server is heard again. */
  private record Asked(long heardMs, long atMs, Answer answer) {}

  /**
   * What is to be done.
   *
   * @param dead servers to give up
   * @param ask servers to connect to; {@link #answered} has to be called for each
   */
  record Verdict(List<ServerInfo> dead, List<ServerInfo> ask) {}

  /**
   * @param deadAfterMs how long a server may be silent
   * @param massDeadAfterMs how long when half or more are
   * @param graceMs how long servers get to be heard when the metaserver itself stood still
   */
  Brake(long deadAfterMs, long massDeadAfterMs, long graceMs) {
    this.deadAfterMs = deadAfterMs;
    this.massDeadAfterMs = Math.max(deadAfterMs, massDeadAfterMs);
    this.graceMs = graceMs;
  }

  /**
   * Looks at the servers. Has to be called at each tick, so that it sees when ticks are late.
   *
   * @param servers that are live
   */
  Verdict judge(Collection<ServerInfo> servers, long nowMs) {
    boolean late = judgedMs != Long.MIN_VALUE && nowMs - judgedMs > lateMs();
    judgedMs = nowMs;
    int quiet = 0;
    List<ServerInfo> silentNow = new ArrayList<>();
    for (ServerInfo server : servers) {
      quiet += silence(server, nowMs) >= deadAfterMs / 2 ? 1 : 0;
      if (silence(server, nowMs) >= deadAfterMs) {
        silentNow.add(server);
      }
    }
    live = servers.size();
    silent = silentNow.size();
    boolean mass = silent > 0 && (quiet == live || quiet >= 2 && 2 * quiet >= live);
    follow(late, mass, nowMs);
    return verdict(silentNow, mass, nowMs);
  }

  private long lateMs() {
    return Math.max(LEAST_LATE_MS, deadAfterMs / 20);
  }

  private static long silence(ServerInfo server, long nowMs) {
    return nowMs - server.lastHeardMs();
  }

  private void follow(boolean late, boolean mass, long nowMs) {
    switch (phase) {
      case OFF -> {
        if (late) {
          grace(true, graceMs, nowMs);
          LOG.info("this metaserver stood still: nobody is given up in the next {} ms", graceMs);
        } else if (mass) {
          putOn();
        }
      }
      case ON -> {
        if (silent == 0) {
          become(Phase.OFF);
          LOG.warn("the brake is off: no chunkserver is silent any more, live={}", live);
        } else if (!mass) {
          grace(false, deadAfterMs, nowMs);
          LOG.warn(
              "the brake is off: silent={} live={}; those have {} ms to be heard",
              silent,
              live,
              deadAfterMs);
        }
      }
      case GRACE -> {
        if (late) {
          graceUntilMs = Math.max(graceUntilMs, nowMs + graceMs);
        } else if (nowMs >= graceUntilMs && mass) {
          putOn();
        } else if (nowMs >= graceUntilMs) {
          become(Phase.OFF);
        }
      }
    }
  }

  private void grace(boolean afterOwnPause, long ms, long nowMs) {
    become(Phase.GRACE);
    ownPause = afterOwnPause;
    graceUntilMs = nowMs + ms;
  }

  private void putOn() {
    become(Phase.ON);
    LOG.warn("{}", sentence());
  }

  private void become(Phase next) {
    if (!phase.mayBecome(next)) {
      throw new IllegalStateException("the brake cannot become " + next + " from " + phase);
    }
    phase = next;
  }

  private Verdict verdict(List<ServerInfo> silentNow, boolean mass, long nowMs) {
    Map<String, Asked> before = new HashMap<>(asked);
    asked.clear();
    if (phase == Phase.OFF) {
      return new Verdict(silentNow, List.of());
    }
    // A metaserver that stands still again and again must not wait for ever for a single one.
    boolean soon = phase == Phase.GRACE && ownPause && !mass;
    long patienceMs = soon ? Math.min(2 * deadAfterMs, massDeadAfterMs) : massDeadAfterMs;
    Verdict verdict = new Verdict(new ArrayList<>(), new ArrayList<>());
    for (ServerInfo server : silentNow) {
      Asked last = before.get(server.id());
      if (last != null && last.heardMs != server.lastHeardMs()) {
        last = null;
      }
      boolean refused = last != null && last.answer == Answer.REFUSED;
      if (refused || silence(server, nowMs) >= patienceMs) {
        verdict.dead.add(server);
      }
      boolean waits = last != null && last.answer == null;
      if (last == null || !waits && nowMs - last.atMs >= askAgainMs()) {
        last = new Asked(server.lastHeardMs(), nowMs, null);
        verdict.ask.add(server);
      }
      asked.put(server.id(), last);
    }
    return verdict;
  }

  private long askAgainMs() {
    return Math.max(LEAST_LATE_MS, deadAfterMs / 10);
  }

  /**
   * A server was asked.
   *
   * @param heardMs when it had been heard last, when it was asked
   */
  public void answered(String serverId, long heardMs, Answer answer) {
    Asked last = asked.get(serverId);
    if (last != null && last.heardMs == heardMs) {
      asked.put(serverId, new Asked(heardMs, last.atMs, answer));
    }
  }

  Phase phase() {
    return phase;
  }

  /** Live servers that are silent, at the last look. */
  int silent() {
    return silent;
  }

  /** What people are told while it is on; empty while it is not. */
  public String sentence() {
    return phase != Phase.ON
        ? ""
        : ("the brake is on: silent=%d of live=%d chunkservers at a time, so only those are given"
                + " up whose port refuses connections, or that are silent for %d ms; look whether"
                + " this metaserver's host and network are well, and start the chunkservers that are"
                + " down")
            .formatted(silent, live, massDeadAfterMs);
  }
}

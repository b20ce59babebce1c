package dev.sailfish.ground.server.metrics;

import java.util.Locale;
import java.util.Optional;

/**
 * One metric of a daemon. It is declared once, as a constant of an enum: from that come its name
 * for Prometheus, {@code /status} and SERVER_STATUS, its text in {@code /metrics} and its row in
 * docs/OPERATIONS.md. Bytes and seconds are the only units and end a name.
 */
public interface Metric {
  /** What a metric's values mean. */
  enum Kind {
    /** Only grows, from 0 at the daemon's start. */
    COUNTER,
    /** How it is now. */
    GAUGE,
    /** Durations: how many were at most so long, how many there were, and their sum. */
    HISTOGRAM
  }

  /**
   * @param name unique over all daemons
   * @param help one sentence without a full stop
   * @param labelName how Prometheus calls what a histogram is divided by, if it is
   */
  record Declaration(String name, Kind kind, String help, Optional<String> labelName) {
    /**
     * @param group what the names of the enum's metrics have in common
     * @param constant the name of the constant
     */
    public static Declaration of(String group, String constant, Kind kind, String help) {
      String name = "sailfish_" + group + "_" + constant.toLowerCase(Locale.ROOT);
      return new Declaration(
          kind == Kind.COUNTER ? name + "_total" : name, kind, help, Optional.empty());
    }

    /** The same metric, divided by a label. */
    public Declaration by(String label) {
      return new Declaration(name, kind, help, Optional.of(label));
    }
  }

  /** What is declared of it. */
  Declaration declaration();

  /** The name that everybody knows it by. */
  default String fullName() {
    return declaration().name();
  }
}

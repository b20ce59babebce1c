package dev.sailfish.ground.server.web;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * What a daemon shows of itself. All of it is asked by the web thread, and by what answers
 * SERVER_STATUS, at any time after the web endpoint was started; nothing of it may wait.
 *
 * @param name of the daemon, with its id if there are several
 * @param host that clients are told
 * @param port of the daemon's protocol
 * @param checks all have to pass for the daemon to be ready
 * @param details writes further fields of {@code /status}
 */
public record Monitored(
    String name,
    String host,
    IntSupplier port,
    List<Metrics<?>> metrics,
    List<HealthCheck> checks,
    StandingWarnings warnings,
    Details details) {
  /** Writes fields into an open JSON object. */
  @FunctionalInterface
  public interface Details {
    /** Leaves the object open; {@code json} is the caller's. */
    void write(JsonGenerator json) throws IOException;
  }

  /** All counters and gauges by full name; a new map. */
  public Map<String, Long> values() {
    Map<String, Long> values = new LinkedHashMap<>();
    metrics.forEach(each -> values.putAll(each.values()));
    return values;
  }

  /** Why the daemon is not ready: the reasons by check; empty when it is ready. */
  Map<String, String> failing() {
    Map<String, String> failing = new TreeMap<>();
    for (HealthCheck check : checks) {
      if (!check.passes().getAsBoolean()) {
        failing.put(check.name(), check.reason());
      }
    }
    return failing;
  }
}

package dev.sailfish.ground.server.web;

import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the web pages of these tests show. */
final class TestDaemon {
  final Metrics<ServerMetric> metrics = new Metrics<>(ServerMetric.class);
  final StandingWarnings warnings =
      new StandingWarnings(LoggerFactory.getLogger(TestDaemon.class), System::nanoTime);
  volatile boolean firstPasses = true;
  volatile boolean secondPasses = true;
  volatile String detail = "";

  Monitored monitored(String name) {
    return new Monitored(
        name,
        "here",
        () -> 7,
        List.of(metrics),
        List.of(
            new HealthCheck("first", () -> firstPasses, "it does not run"),
            new HealthCheck("second", () -> secondPasses, "nobody is there")),
        warnings,
        json -> json.writeStringField("detail", detail));
  }
}

package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import dev.sailfish.web.source.SourceView;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** What the process counts, for {@code /metrics}. */
@Singleton
public class WebMetrics {
  private static final String PREFIX = "sailfish.web.";

  private final MeterRegistry registry;
  private final WebServices services;
  private final LiveTopics topics;

  /** Registers nothing yet. */
  @Inject
  public WebMetrics(MeterRegistry registry, WebServices services, LiveTopics topics) {
    this.registry = registry;
    this.services = services;
    this.topics = topics;
  }

  void started(@Observes StartupEvent event) {
    Gauge.builder(PREFIX + "event.clients", topics, LiveTopics::clients)
        .description("Clients of server-sent events")
        .register(registry);
    Gauge.builder(PREFIX + "jobs.living", services, all -> all.book().living().size())
        .description("Jobs that live, as this process knows")
        .register(registry);
    Gauge.builder(PREFIX + "jobs.ended", services, all -> all.book().endedCount())
        .description("Jobs that have ended and can be listed")
        .register(registry);
    FunctionCounter.builder(PREFIX + "reports.taken", services, all -> all.reports().taken())
        .description("Reports of ApplicationMasters that were taken")
        .register(registry);
    FunctionCounter.builder(PREFIX + "reports.refused", services, all -> all.reports().refused())
        .description("Reports that were refused: no job of that id has signed them")
        .register(registry);
    for (SourceView source : services.sources()) {
      Gauge.builder(PREFIX + "source.up", services, all -> up(all, source.name()))
          .description("1 while the source answers")
          .tag("source", source.name())
          .register(registry);
    }
  }

  private static double up(WebServices services, String name) {
    return services.sources().stream()
            .anyMatch(source -> source.name().equals(name) && source.error() == null)
        ? 1
        : 0;
  }
}

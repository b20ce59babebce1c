package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import dev.sailfish.web.source.SourceView;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Which sources answer. That one is silent is no fault of this process, and no reason to start it
 * again: it serves what it knows.
 */
@Readiness
@Singleton
public class SourcesCheck implements HealthCheck {
  private final WebServices services;

  /** With the sources. */
  @Inject
  public SourcesCheck(WebServices services) {
    this.services = services;
  }

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder check = HealthCheckResponse.named("sources").up();
    for (SourceView source : services.sources()) {
      check.withData(source.name(), source.error() == null ? "answers" : "does not answer");
    }
    return check.build();
  }
}

package dev.sailfish.web;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.annotations.CommandLineArguments;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Path;
import org.jboss.logging.Logger;

/** Makes what the process does when it starts, and ends it when it stops. */
@Singleton
public class WebLifecycle {
  private static final Logger LOG = Logger.getLogger(WebLifecycle.class);

  private final WebServices services;

  /**
   * Reads the file that the process was told.
   *
   * @throws IOException naming a file that cannot be used
   */
  @Inject
  public WebLifecycle(@CommandLineArguments String[] args) throws IOException {
    services = new WebServices(WebSettings.read(Path.of(args[0])));
  }

  /** For resources. */
  @Produces
  @Singleton
  WebServices services() {
    return services;
  }

  void started(@Observes StartupEvent event) {
    if (services.rights().isOpen()) {
      LOG.warn(
          "neither sailfish.web.token.file nor sailfish.web.kerberos.principal is set: anyone who"
              + " reaches the port may see all jobs");
    }
  }

  void stopped(@Observes ShutdownEvent event) throws IOException {
    services.close();
  }
}

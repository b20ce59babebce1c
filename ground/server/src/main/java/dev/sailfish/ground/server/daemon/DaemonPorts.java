package dev.sailfish.ground.server.daemon;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.server.web.Monitored;
import dev.sailfish.ground.server.web.WebEndpoint;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.tls.TlsContext;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two ports of a daemon: that of its service, and that of its web pages. Thread-safe but for
 * {@link #open} and {@link #close}, which one thread calls.
 */
public final class DaemonPorts implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonPorts.class);

  private final Metrics<ServerMetric> frameMetrics = new Metrics<>(ServerMetric.class);
  private final Monitored monitored;
  private volatile FrameServer server;
  private volatile WebEndpoint web;

  /**
   * Opens nothing yet.
   *
   * @param name of the daemon, with its id if there are several
   * @param host that clients are told
   * @param metrics what the daemon counts itself; connections are counted besides
   */
  public DaemonPorts(
      String name,
      String host,
      Metrics<?> metrics,
      List<HealthCheck> checks,
      StandingWarnings warnings,
      Monitored.Details details) {
    monitored =
        new Monitored(
            name, host, this::port, List.of(metrics, frameMetrics), checks, warnings, details);
  }

  /**
   * Serves from now on.
   *
   * @param config says where, for both ports; their TLS is that of the settings
   * @param authenticator null: anyone may connect and do everything, of which the log warns
   * @throws IOException when a port is taken, or a file of the settings cannot be used
   */
  public void open(
      Service service,
      ServerConfig config,
      RequestHandler handler,
      Authenticator authenticator,
      DaemonSettings settings)
      throws IOException {
    Optional<TlsContext> tls = settings.serverTls();
    server = FrameServer.start(service, config.withTls(tls), handler, authenticator, frameMetrics);
    web = WebEndpoint.start(monitored, config.host(), settings.webPort(), settings.webToken(), tls);
    if (authenticator == null) {
      LOG.warn("authentication is off: anyone who reaches port={} may do everything", port());
    }
  }

  /** The name of the daemon. */
  public String name() {
    return monitored.name();
  }

  /** The port of the service. */
  public int port() {
    return server.port();
  }

  /** The port of the web pages; 0 while they are not served yet. */
  public int webPort() {
    WebEndpoint endpoint = web;
    return endpoint == null ? 0 : endpoint.port();
  }

  /** Where both ports are, as {@link Daemon#place} has it. */
  public String place() {
    return monitored.host() + ":" + port() + " web=" + webPort();
  }

  /** All counters and gauges by full name; a new map. */
  public Map<String, Long> values() {
    return monitored.values();
  }

  /** Stops serving, also what was opened only in part. */
  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
    if (web != null) {
      web.close();
    }
  }
}

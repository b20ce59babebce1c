package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Service;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the connections of one server share.
 *
 * @param service whose operations it serves
 * @param authenticator null when everybody may connect
 * @param limitedLog for what peers do wrong
 * @param collectedBytes how much of {@link ServerConfig.Limits#collectedTotalBytes} is taken
 * @param newcomers those who have not proved who they are
 */
record ServerShared(
    Service service,
    ServerConfig config,
    RequestHandler handler,
    Authenticator authenticator,
    Metrics<ServerMetric> metrics,
    RateLimitedLog limitedLog,
    AtomicLong collectedBytes,
    Newcomers newcomers) {

  void warn(String message) {
    limitedLog.warn(config.name() + ": " + message);
  }
}

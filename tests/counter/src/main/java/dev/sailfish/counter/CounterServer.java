package dev.sailfish.counter;

import dev.sailfish.counter.message.Counter;
import dev.sailfish.counter.message.IncrementRequest;
import dev.sailfish.counter.message.ListRequest;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.replica.JournalPeers;
import dev.sailfish.ground.replica.Replica;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonMain;
import dev.sailfish.ground.server.daemon.DaemonPorts;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.wire.message.JournalRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;

/** A peer of a replicated service that counts for jobs: all that it needs beside the ground. */
public final class CounterServer implements Daemon {
  static final String NAME = "counter";

  private final DaemonSettings daemon;
  private final CounterState state = new CounterState();
  private final Replica replica;
  private final Metrics<CounterMetric> metrics;
  private final DaemonPorts ports;

  private CounterServer(Settings settings) throws IOException {
    CounterKey.ALL.check(settings);
    daemon = DaemonSettings.of(settings, CounterKey.SERVER, true);
    JournalSettings journal = CounterKey.JOURNAL.read(settings, CounterKey.PORT);
    replica = new Replica(journal, JournalPeers.of(CounterService.JOURNAL, journal, daemon), state);
    metrics =
        new Metrics<>(
            CounterMetric.class, () -> Map.of(CounterMetric.LEADS, replica.isLeading() ? 1L : 0L));
    ports =
        new DaemonPorts(
            NAME,
            settings.get(CounterKey.HOST),
            metrics,
            List.of(
                new HealthCheck(
                    "leader", replica::keepsUp, "no peer leads, or this one is far behind it")),
            new StandingWarnings(LoggerFactory.getLogger(CounterServer.class), System::nanoTime),
            json -> {});
  }

  /** The process of a peer. */
  public static void main(String[] args) {
    DaemonMain.run(NAME, args, settings -> settings, CounterServer::start);
  }

  /** Starts a peer; it serves when the peers have elected it. */
  static CounterServer start(Settings settings) throws IOException {
    CounterServer server = new CounterServer(settings);
    server.replica.open();
    server.ports.open(
        CounterService.SERVICE,
        ServerConfig.of(NAME, settings.get(CounterKey.HOST), settings.get(CounterKey.PORT))
            .withLimits(JournalPeers.LIMITS),
        server.routes(),
        server.daemon.secret().map(CounterAuthenticator::new).orElse(null),
        server.daemon);
    server.replica.start();
    return server;
  }

  private Routes routes() {
    return new Routes("a counter")
        .ofJob(
            CounterService.INCREMENT,
            IncrementRequest.parser(),
            IncrementRequest::getJob,
            this::increment)
        .on(
            CounterService.LIST,
            ListRequest.parser(),
            (request, asked) -> replica.read(request, state::counters))
        .on(CounterService.JOURNAL, JournalRequest.parser(), replica::receive);
  }

  private void increment(Request request, IncrementRequest asked) throws IOException {
    replica.change(
        request,
        asked.toByteArray(),
        reply -> {
          metrics.increment(CounterMetric.INCREMENTS);
          return Counter.parseFrom(reply);
        });
  }

  @Override
  public String place() {
    return ports.place();
  }

  @Override
  public CompletableFuture<String> failure() {
    return replica.failure();
  }

  @Override
  public void close() {
    ports.close();
    replica.close();
  }
}

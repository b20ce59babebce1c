package dev.sailfish.lineage.master;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.replica.JournalPeers;
import dev.sailfish.ground.replica.Replica;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonMain;
import dev.sailfish.ground.server.daemon.DaemonPorts;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.JournalRequest;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.ListEntriesRequest;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.RenewClientRequest;
import dev.sailfish.lineage.protocol.wire.RenewClientResponse;
import dev.sailfish.lineage.protocol.wire.StatRequest;
import dev.sailfish.lineage.protocol.wire.StatResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master. One of them leads, changes the namespace through the journal and answers; the others
 * apply the same changes, and take its place when it is gone.
 */
public final class LineageMaster implements Daemon {
  /** What a master is called. */
  public static final String NAME = "lineage-master";

  private static final Logger LOG = LoggerFactory.getLogger(LineageMaster.class);
  private static final int LONGEST_LIST = 1000;
  private static final long TICK_MS = 250;

  private final Clock clock = System::nanoTime;
  private final DaemonSettings daemon;
  private final Duration lease;
  private final ClientLeases leases;
  private final StoreState state;
  private final Replica replica;
  private final Metrics<LineageMasterMetric> metrics;
  private final DaemonPorts ports;
  private final ScheduledExecutorService timer = new GuardedTimer(NAME + "-leases");

  private LineageMaster(Settings settings) throws IOException {
    LineageMasterKey.ALL.check(settings);
    daemon = DaemonSettings.of(settings, LineageMasterKey.SERVER, true);
    lease = settings.get(LineageMasterKey.CLIENT_LEASE);
    leases = new ClientLeases(lease.toNanos());
    state = new StoreState(fid -> {}, () -> leases.begin(clock.nanoTime()));
    JournalSettings journal = LineageMasterKey.JOURNAL.read(settings, LineageMasterKey.PORT);
    JournalPeers peers = JournalPeers.of(LineageService.JOURNAL, journal, daemon);
    replica = new Replica(journal, peers, state);
    metrics = new Metrics<>(LineageMasterMetric.class, this::gauges);
    ports =
        new DaemonPorts(
            NAME,
            settings.get(LineageMasterKey.HOST),
            metrics,
            List.of(new HealthCheck("leader", replica::hasLeader, "no master leads")),
            new StandingWarnings(LOG, clock::nanoTime),
            json -> {});
  }

  /** The process of a master; the argument is its properties file. */
  public static void main(String[] args) {
    DaemonMain.run(NAME, args, settings -> settings, LineageMaster::start);
  }

  /**
   * Starts a master; with others it serves when they have elected it.
   *
   * @throws IOException saying what cannot be used
   */
  public static LineageMaster start(Settings settings) throws IOException {
    LineageMaster master = new LineageMaster(settings);
    boolean started = false;
    try {
      master.open(settings);
      started = true;
      return master;
    } finally {
      if (!started) {
        master.close();
      }
    }
  }

  private void open(Settings settings) throws IOException {
    replica.open();
    ports.open(
        LineageService.SERVICE,
        ServerConfig.of(
                NAME, settings.get(LineageMasterKey.HOST), settings.get(LineageMasterKey.PORT))
            .withLimits(JournalPeers.LIMITS),
        routes(),
        daemon.secret().map(LineageMaster::authenticator).orElse(null),
        daemon);
    replica.start();
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  private static Authenticator authenticator(byte[] secret) {
    return (name, keyId, answer) -> {
      if (name.equals(Handshake.CLUSTER)) {
        answer.found(Principal.ofCluster(secret));
      } else {
        answer.refused(Status.UNAUTHENTICATED, "principal must be 'cluster'");
      }
    };
  }

  private Routes routes() {
    return new Routes("a " + NAME)
        .on(LineageService.CHANGE, ChangeRequest.parser(), this::change)
        .on(
            LineageService.STAT,
            StatRequest.parser(),
            (request, asked) -> replica.read(request, () -> stat(asked)))
        .on(
            LineageService.LIST,
            ListEntriesRequest.parser(),
            (request, asked) -> replica.read(request, () -> list(asked)))
        .on(LineageService.RENEW, RenewClientRequest.parser(), this::renew)
        .on(LineageService.JOURNAL, JournalRequest.parser(), replica::receive);
  }

  private void change(Request request, ChangeRequest asked) throws IOException {
    if (asked.getClient() == 0 || asked.getNumber() == 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "a change must name its client and have a number");
    }
    if (asked.getChangeCase() == ChangeRequest.ChangeCase.CHANGE_NOT_SET) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "this version of the master does not know such a change");
    }
    leases.heard(asked.getClient(), clock.nanoTime());
    replica.change(
        request,
        StoreState.change(asked),
        reply -> {
          metrics.increment(LineageMasterMetric.CHANGES);
          return ChangeResponse.parseFrom(reply);
        });
  }

  private void renew(Request request, RenewClientRequest asked) throws IOException {
    replica.read(
        request,
        () -> {
          leases.heard(asked.getClient(), clock.nanoTime());
          return RenewClientResponse.newBuilder().setLeaseMs(lease.toMillis()).build();
        });
  }

  private MessageLite stat(StatRequest asked) {
    Namespace namespace = state.namespace();
    StatResponse.Builder response = StatResponse.newBuilder();
    try {
      FileInfo info =
          asked.getPath().isEmpty()
              ? namespace.stat(asked.getFid())
              : namespace.stat(
                  StorePath.of(asked.getPath()), StoreMessages.caller(asked.getUser()));
      return response.setEntry(StoreMessages.entry(info)).build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  private MessageLite list(ListEntriesRequest asked) {
    int wanted = asked.getLimit();
    int limit = wanted <= 0 || wanted > LONGEST_LIST ? LONGEST_LIST : wanted;
    ListEntriesResponse.Builder response = ListEntriesResponse.newBuilder();
    try {
      List<FileInfo> infos =
          state
              .namespace()
              .list(
                  StorePath.of(asked.getPath()),
                  asked.getAfter(),
                  limit + 1,
                  StoreMessages.caller(asked.getUser()));
      infos.stream().limit(limit).map(StoreMessages::entry).forEach(response::addEntries);
      return response.setMore(infos.size() > limit).build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  /** Has what silent clients write removed, and what was deleted freed. */
  private void tick() {
    if (!replica.isLeading()) {
      return;
    }
    for (long client :
        leases.expired(replica.look(() -> state.namespace().writers()), clock.nanoTime())) {
      LOG.warn("client={} was silent for {}: what it has not completed goes", client, lease);
      metrics.increment(LineageMasterMetric.CLIENTS_EXPIRED);
      replica.change(StoreState.expiry(client));
    }
    if (replica.look(state::hasDoomed)) {
      replica.change(state.firstEntry());
    }
  }

  private Map<LineageMasterMetric, Long> gauges() {
    return replica.look(
        () ->
            Map.of(
                LineageMasterMetric.LEADS,
                replica.isLeading() ? 1L : 0L,
                LineageMasterMetric.FILES,
                (long) state.namespace().size(),
                LineageMasterMetric.FILES_WRITING,
                (long) state.namespace().writing()));
  }

  @Override
  public String place() {
    return ports.place();
  }

  /** The port of the service. */
  public int port() {
    return ports.port();
  }

  @Override
  public CompletableFuture<String> failure() {
    return replica.failure();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    ports.close();
    replica.close();
  }
}

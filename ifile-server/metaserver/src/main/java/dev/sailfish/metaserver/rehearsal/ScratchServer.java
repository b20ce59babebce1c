package dev.sailfish.metaserver.rehearsal;

import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.journal.SteadyClock;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.racks.RackResolver;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.rpc.FairQueue;
import dev.sailfish.metaserver.rpc.RequestDispatch;
import dev.sailfish.metaserver.rpc.StateDriver;
import dev.sailfish.metaserver.state.MetaserverState;
import dev.sailfish.metaserver.state.ServerProbe;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The way of a request through a metaserver, of the same classes, and nothing around it: port,
 * dispatch, core. It keeps no journal; its metrics and threads are its own. It listens on the
 * loopback address, on any free port, and lets in who knows a secret that is drawn anew each time.
 */
final class ScratchServer implements Closeable {
  private static final String NAME = "rehearsal";
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final long DEAD_AFTER_MS = 60_000;
  private static final long LEAD_DEADLINE_S = 10;

  /** All hosts are in one. */
  private static final class OneRack implements RackResolver {
    @Override
    public String known(String host) {
      return DEFAULT_RACK;
    }

    @Override
    public String resolve(String host) {
      return DEFAULT_RACK;
    }
  }

  private final byte[] secret = Handshake.nonce();
  private final Metrics<MetaserverMetric> metrics = new Metrics<>(MetaserverMetric.class);
  private final FairQueue registrations = new FairQueue(new GuardedTimer(NAME + "-registrations"));
  private final FairQueue binds = new FairQueue(new GuardedTimer(NAME + "-racks"));
  private final StateDriver driver;
  private FrameServer frames;

  private ScratchServer() throws IOException {
    JournalSettings settings =
        new JournalSettings(NAME, Optional.empty(), false, 1, NAME, "", Map.of());
    this.driver =
        new StateDriver(
            Journal.of(settings, address -> null),
            () -> new MetaserverState(DEAD_AFTER_MS, DEAD_AFTER_MS, metrics),
            new SteadyClock(Network.SOCKETS::nanoTime, DEAD_AFTER_MS),
            ScratchServer::lead,
            new GuardedTimer(NAME + "-timer"),
            (host, port) -> CompletableFuture.completedFuture(ServerProbe.Answer.NO_ANSWER));
  }

  private static Lead lead() {
    return Lead.newBuilder()
        .setPeer(NAME)
        .setWallMs(1)
        .setChunkBytes(128L << 20)
        .setReservationBytes(1L << 20)
        .setLeaseMs(DEAD_AFTER_MS)
        .build();
  }

  /**
   * Serves when this returns.
   *
   * @throws IOException naming what cannot be bound
   */
  static ScratchServer open() throws IOException {
    ScratchServer server = new ScratchServer();
    boolean opened = false;
    try {
      server.start();
      opened = true;
      return server;
    } finally {
      if (!opened) {
        server.close();
      }
    }
  }

  private void start() throws IOException {
    driver.replica().open();
    frames =
        FrameServer.start(
            IfileService.SERVICE,
            ServerConfig.of(NAME, InetAddress.getLoopbackAddress().getHostAddress(), 0)
                .withThreads(1),
            new RequestDispatch(
                driver,
                new OneRack(),
                registrations,
                binds,
                ServerStatusResponse::getDefaultInstance,
                Optional.empty()),
            Authenticator.ofCluster(secret),
            new Metrics<>(ServerMetric.class));
    driver.start();
    driver.replica().awaitLead(LEAD_DEADLINE_S);
  }

  private InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), frames.port());
  }

  /** A connection as tasks have it; each wait ends after 10 s. */
  MetaserverClient connect() throws IOException {
    return MetaserverClient.connect(address(), NAME, Credentials.ofCluster(secret), DEADLINE);
  }

  /** A connection as chunkservers have it; each wait ends after 10 s. */
  Connection connectChunkserver() throws IOException {
    return Connection.open(address(), NAME, Credentials.ofCluster(secret), DEADLINE);
  }

  @Override
  public void close() {
    if (frames != null) {
      frames.close();
    }
    driver.close();
    registrations.close();
    binds.close();
  }
}

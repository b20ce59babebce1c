package dev.sailfish.lineage.worker;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.EvictionOrder;
import dev.sailfish.blockstore.FairShare;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.StoreTiers;
import dev.sailfish.blockstore.StoreUsage;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.config.StorageDirectory;
import dev.sailfish.ground.config.StorageDirectory.DiskType;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.TokenAuthenticator;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonIdentity;
import dev.sailfish.ground.server.daemon.DaemonMain;
import dev.sailfish.ground.server.daemon.DaemonPorts;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.lineage.protocol.BlockTokenKey;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.worker.block.Arrivals;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.Changes;
import dev.sailfish.lineage.worker.block.Evictor;
import dev.sailfish.lineage.worker.block.FileMarks;
import dev.sailfish.lineage.worker.block.PeerCopier;
import dev.sailfish.lineage.worker.block.Peers;
import dev.sailfish.lineage.worker.block.Scrubber;
import dev.sailfish.lineage.worker.block.Spares;
import dev.sailfish.lineage.worker.rpc.BlockGuard;
import dev.sailfish.lineage.worker.rpc.WorkerHandler;
import dev.sailfish.lineage.worker.under.UnderWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker: holds blocks of files, gives them to readers, and tells the master which it has. Blocks
 * that are sealed outlive the process.
 */
public final class LineageWorker implements Daemon {
  /** What a worker is called. */
  public static final String NAME = "lineage-worker";

  /** Whose segments blocks are in the block store. */
  public static final String SEGMENT_OWNER = "worker";

  private static final Logger LOG = LoggerFactory.getLogger(LineageWorker.class);

  /** Well below the lease: when the leader hangs, the next one has to hear this worker in time. */
  private static final Duration MASTER_DEADLINE = Duration.ofSeconds(5);

  private static final Duration PEER_DEADLINE = Duration.ofSeconds(60);
  private static final String MASTER = "master";
  private static final Duration LONGEST_TOKEN = Duration.ofDays(365);
  private static final long TICK_MS = 1_000;
  private static final int PLACE_TIER_BITS = 2;

  private final Settings settings;
  private final DaemonSettings daemon;
  private final String host;
  private final String id;
  private final BlockStore store;
  private final boolean isStoreShared;
  private final Owner segments;
  private final Changes changes = new Changes();
  private final Metrics<LineageWorkerMetric> metrics =
      new Metrics<>(LineageWorkerMetric.class, this::gauges);
  private final BlockTable blocks;
  private final UnderWork under;
  private final FileMarks marks;
  private final Spares spares;
  private final PeerCopier copier;
  private final Evictor evictor;
  private final Scrubber scrubber;
  private final MasterLink master;
  private final StandingWarnings warnings = new StandingWarnings(LOG, Network.SOCKETS);
  private final DaemonPorts ports;
  private final BoundedPool slow = new BoundedPool("lineage-worker-slow", 1, 1_000);
  private final WarmAhead warmAhead;
  private final ScheduledExecutorService timer = new GuardedTimer("lineage-worker-timer");
  private volatile boolean registered;

  /**
   * @param shared somebody else's store; null: one of its own
   */
  private LineageWorker(Settings settings, BlockStore shared) throws IOException {
    LineageWorkerKey.ALL.check(settings);
    this.settings = settings;
    daemon = DaemonSettings.of(settings, LineageWorkerKey.SERVER, true);
    host = DaemonSettings.host(settings, LineageWorkerKey.HOST);
    List<StorageDirectory> directories = directories(settings);
    id = DaemonIdentity.of(StoreTiers.mostDurable(directories), NAME);
    Network network = daemon.network();
    isStoreShared = shared != null;
    store = isStoreShared ? shared : ownStore(directories, network);
    segments = store.owner(SEGMENT_OWNER);
    warmAhead = new WarmAhead(store);
    blocks = new BlockTable(segments, changes);
    spares =
        new Spares(segments, blocks, network, settings.get(LineageWorkerKey.LOCAL_COPIES_PERCENT));
    Peers peers = peers(network, daemon.credentials());
    marks = new FileMarks(segments, blocks, settings.get(LineageWorkerKey.PINNED_PERCENT));
    Arrivals arrivals = new Arrivals(blocks);
    copier = new PeerCopier(blocks, arrivals, changes, peers);
    under =
        under(
            network,
            daemon.credentials(),
            new UnderWork.Store(blocks, arrivals, spares, copier, peers, warmAhead::isHostBusy));
    evictor =
        new Evictor(
            segments,
            blocks,
            spares,
            network,
            settings.get(LineageWorkerKey.FULL_DEADLINE),
            eviction(settings),
            under.copies());
    scrubber = new Scrubber(blocks, settings.get(LineageWorkerKey.SCRUB).toMillis());
    ports =
        new DaemonPorts(
            NAME + " " + id,
            host,
            metrics,
            List.of(
                new HealthCheck(
                    MASTER, () -> registered, "no master knows this worker; its log says why"),
                new HealthCheck("room", this::hasRoom, "no tier has room for another block")),
            warnings,
            json -> {});
    master =
        new MasterLink(
            masters(network, daemon.credentials()),
            this::registration,
            new MasterLink.Known(
                blocks,
                changes,
                spares,
                new Duties(segments, blocks, marks, spares, copier, under.ordered())),
            settings.get(LineageWorkerKey.HEARTBEAT).toNanos(),
            metrics,
            notices());
  }

  private BlockStore ownStore(List<StorageDirectory> directories, Network network)
      throws IOException {
    return BlockStore.open(
        new BlockStoreConfig(
            StoreTiers.of(directories),
            List.of(new OwnerConfig(SEGMENT_OWNER, Map.of())),
            settings.get(LineageWorkerKey.GROWTH),
            settings.get(LineageWorkerKey.IDLE_RELEASE),
            settings.get(LineageWorkerKey.WARM)),
        network::nanoTime);
  }

  private LeaderClient masters(Network network, Credentials credentials) {
    List<InetSocketAddress> addresses =
        settings.get(LineageWorkerKey.MASTER_ADDRESS).stream().map(HostPort::unresolved).toList();
    return new LeaderClient(network, addresses, NAME + " " + id, credentials, MASTER_DEADLINE);
  }

  private Peers peers(Network network, Credentials credentials) {
    return worker ->
        Connection.open(
            network,
            new InetSocketAddress(worker.getHost(), worker.getPort()),
            NAME + " " + id,
            credentials,
            PEER_DEADLINE);
  }

  private UnderWork under(Network network, Credentials credentials, UnderWork.Store here) {
    return new UnderWork(
        () -> masters(network, credentials),
        here,
        metrics,
        network,
        new UnderWork.Limits(
            settings.get(LineageWorkerKey.COPIES),
            settings.get(LineageWorkerKey.COPY_STREAMS),
            settings.get(LineageWorkerKey.COPY_SILENCE)));
  }

  /**
   * The directories that are named.
   *
   * @throws IllegalArgumentException when something is wrong with them
   */
  static List<StorageDirectory> directories(Settings settings) {
    String port = Integer.toString(settings.get(LineageWorkerKey.PORT));
    List<StorageDirectory> named = StorageDirectory.of(settings, LineageWorkerKey.DIRS);
    if (named.isEmpty()) {
      throw settings.wrong(LineageWorkerKey.DIRS, "must name a directory for blocks");
    }
    for (StorageDirectory directory : named) {
      boolean isUnlimited = directory.capacityBytes() == StorageDirectory.ALL_OF_IT;
      if (directory.type() == DiskType.MEM && isUnlimited) {
        throw settings.wrong(
            LineageWorkerKey.DIRS, "must say :capacity=SIZE of memory: '" + directory.path() + "'");
      }
    }
    return named.stream()
        .map(
            directory ->
                new StorageDirectory(
                    Path.of(directory.path().toString().replace("PORT", port)),
                    directory.type(),
                    directory.capacityBytes()))
        .toList();
  }

  private EvictionOrder eviction(Settings of) {
    EvictionOrder policy =
        switch (of.get(LineageWorkerKey.EVICTION)) {
          case "lfu" -> EvictionOrder.LEAST_FREQUENTLY_USED;
          case "lru-2" -> EvictionOrder.LEAST_RECENTLY_USED_TWICE;
          default -> EvictionOrder.LEAST_RECENTLY_USED;
        };
    return of.get(LineageWorkerKey.FAIR)
        ? new FairShare(policy, marks::owner, marks::pinnedByOwner)
        : policy;
  }

  /** The process of a worker; the argument is its properties file. */
  public static void main(String[] args) {
    DaemonMain.run(NAME, args, settings -> settings, LineageWorker::start);
  }

  /**
   * Starts a worker; it serves when this returns, whether there is a master or not.
   *
   * @throws IOException saying what cannot be used
   */
  public static LineageWorker start(Settings settings) throws IOException {
    return started(new LineageWorker(settings, null));
  }

  /**
   * The same on a store that others use too, and that the caller closes after this worker.
   *
   * @param store has the owner {@link #SEGMENT_OWNER}
   * @param settings their directories say where the worker's id is kept
   */
  public static LineageWorker start(Settings settings, BlockStore store) throws IOException {
    return started(new LineageWorker(settings, store));
  }

  private static LineageWorker started(LineageWorker worker) throws IOException {
    boolean started = false;
    try {
      worker.open();
      started = true;
      return worker;
    } finally {
      if (!started) {
        worker.close();
      }
    }
  }

  private void open() throws IOException {
    int cores = Runtime.getRuntime().availableProcessors();
    ports.open(
        WorkerService.SERVICE,
        ServerConfig.of(
                ports.name(),
                settings.get(LineageWorkerKey.BIND),
                settings.get(LineageWorkerKey.PORT))
            .withThreads(settings.get(LineageWorkerKey.IO_THREADS, Math.max(1, cores / 2)))
            .withLimits(
                ServerConfig.Limits.DEFAULT.withConnections(
                    settings.get(LineageWorkerKey.CONNECTIONS_MAX))),
        new WorkerHandler(
            blocks,
            evictor,
            metrics,
            this::place,
            slow,
            under,
            new BlockGuard(
                daemon.secret().map(BlockTokenKey::new), Network.SOCKETS::wallMs, metrics)),
        daemon.secret().map(LineageWorker::authenticator).orElse(null),
        daemon);
    evictor.start();
    scrubber.start();
    warmAhead.start();
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    master.start();
  }

  /** Users are let in with any token that has not expired; the master knows which ones are good. */
  private static Authenticator authenticator(byte[] secret) {
    DelegationKey tokens = new DelegationKey(secret, LineageService.TOKENS, LONGEST_TOKEN);
    return new TokenAuthenticator(NAME, secret, tokens, Network.SOCKETS::wallMs, Optional.empty());
  }

  private int place(int tier) {
    return master.number() << PLACE_TIER_BITS | tier;
  }

  private void tick() {
    try {
      store.releaseIdle();
    } catch (UncheckedIOException e) {
      LOG.warn("memory that nobody uses is not given back: {}", e.toString());
    }
    under.tick();
    warnings.repeat();
  }

  private RegisterWorkerRequest registration() {
    return RegisterWorkerRequest.newBuilder()
        .setId(Long.parseUnsignedLong(id, 16))
        .setHost(host)
        .setPort(port())
        .build();
  }

  private MasterLink.Notices notices() {
    return new MasterLink.Notices() {
      @Override
      public void registered() {
        registered = true;
        warnings.clear(MASTER);
      }

      @Override
      public void alone(Exception cause) {
        registered = false;
        warnings.raise(
            MASTER,
            "no master takes this worker, trying again; until then nobody writes here: does one"
                + " run, and is "
                + LineageWorkerKey.MASTER_ADDRESS.name()
                + "="
                + settings.get(LineageWorkerKey.MASTER_ADDRESS)
                + " right?",
            cause.toString());
      }
    };
  }

  private boolean hasRoom() {
    return blocks.freeBytes() > 0;
  }

  private Map<LineageWorkerMetric, Long> gauges() {
    StoreUsage usage = segments.usage();
    Map<LineageWorkerMetric, Long> gauges = new EnumMap<>(LineageWorkerMetric.class);
    gauges.put(LineageWorkerMetric.REGISTERED, registered ? 1L : 0L);
    gauges.put(LineageWorkerMetric.BLOCKS, (long) blocks.size());
    gauges.put(LineageWorkerMetric.BLOCKS_WRITING, (long) blocks.writing());
    gauges.put(LineageWorkerMetric.BLOCKS_DAMAGED, blocks.damaged());
    gauges.put(LineageWorkerMetric.BLOCKS_DROPPED, blocks.dropped());
    gauges.put(LineageWorkerMetric.SPARE_BYTES, spares.bytes());
    gauges.put(LineageWorkerMetric.SPARES_DROPPED, spares.dropped());
    gauges.put(LineageWorkerMetric.COPIES_WRITING, (long) under.streams().size());
    gauges.put(LineageWorkerMetric.PINNED_BYTES, marks.pinnedBytes());
    gauges.put(LineageWorkerMetric.UNPINNED_BYTES, marks.unpinnedBytes());
    gauges.put(LineageWorkerMetric.MEMORY_USED_BYTES, usage.usedBytes(Tier.MEMORY));
    gauges.put(LineageWorkerMetric.MEMORY_CAPACITY_BYTES, usage.capacityBytes(Tier.MEMORY));
    gauges.put(LineageWorkerMetric.DISK_USED_BYTES, usage.usedBytes(Tier.SSD, Tier.DISK));
    gauges.put(LineageWorkerMetric.DISK_CAPACITY_BYTES, usage.capacityBytes(Tier.SSD, Tier.DISK));
    gauges.put(LineageWorkerMetric.WARNINGS, warnings.count());
    return gauges;
  }

  /** All counters and gauges by full name; a new map. */
  public Map<String, Long> metrics() {
    return ports.values();
  }

  /** The port of the service. */
  public int port() {
    return ports.port();
  }

  @Override
  public String place() {
    return ports.place() + " id=" + id;
  }

  @Override
  public CompletableFuture<String> failure() {
    return new CompletableFuture<>();
  }

  /** Stops serving; sealed blocks stay for the next start. */
  @Override
  public void close() throws IOException {
    master.close();
    ports.close();
    under.close();
    timer.shutdownNow();
    warmAhead.close();
    scrubber.close();
    evictor.close();
    slow.shutdownNow();
    copier.close();
    if (!isStoreShared) {
      store.close();
    }
  }
}

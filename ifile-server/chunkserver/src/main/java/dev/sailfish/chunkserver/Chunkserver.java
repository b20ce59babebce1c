package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.StoreUsage;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.ThreadCpu;
import dev.sailfish.chunkserver.recovery.ChunkCopier;
import dev.sailfish.chunkserver.recovery.ChunkRecovery;
import dev.sailfish.chunkserver.rehearsal.Rehearsal;
import dev.sailfish.chunkserver.rpc.ChunkserverHandler;
import dev.sailfish.chunkserver.sort.DataKeys;
import dev.sailfish.chunkserver.sort.SorterPool;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortBuffers;
import dev.sailfish.chunksorter.Sorter;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonIdentity;
import dev.sailfish.ground.server.daemon.DaemonPorts;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds chunks: takes appends, sorts what is complete, serves readers, and does what the metaserver
 * commands.
 *
 * <pre>
 *   appenders ─▶ FrameServer ─▶ ChunkserverHandler ─▶ ChunkTable ─▶ Chunk ─▶ BlockStore
 *   readers   ─▶                                                     │ STABLE
 *                                                  SorterPool ◀──────┘
 *   metaserver ◀──▶ HeartbeatAgent, JobKeys (who may connect)
 * </pre>
 *
 * <p>A chunk's bytes are acknowledged when they are in the memory of its segment, which is a file
 * on a memory file system. They outlive this process, however it ends; {@link ChunkRecovery} finds
 * them again at the next start.
 */
public final class Chunkserver implements Daemon {
  private static final Logger LOG = LoggerFactory.getLogger(Chunkserver.class);
  private static final String NAME = "chunkserver";
  private static final Duration LEAST_LINK_DEADLINE = Duration.ofSeconds(15);
  private static final Duration KEY_REPLY_DEADLINE = Duration.ofSeconds(5);
  private static final Duration KEY_DEADLINE = Duration.ofSeconds(10);
  private static final int WARM_PART = 4;

  /** For a sorter; of a job of middle size a chunk has as much. */
  private static final long READY_BYTES = 72L << 20;

  private static final long TICK_MS = 1_000;
  private static final long FORGET_MS = 30_000;

  private final ChunkserverConfig config;
  private final Optional<byte[]> secret;
  private final Network network;
  private final String id;
  private final BlockStore store;
  private final boolean isStoreShared;
  private final Owner segments;
  private final Metrics<ChunkserverMetric> metrics =
      new Metrics<>(ChunkserverMetric.class, this::gauges);
  private final ScheduledThreadPoolExecutor timer;
  private final Optional<JobKeys> keys;
  private final SortBuffers sortBuffers = new SortBuffers();
  private final SorterPool sorters;
  private final ChunkTable chunks;
  private final ChunkCopier copier;
  private final ChunkserverHandler handler;
  private final StandingWarnings warnings = new StandingWarnings(LOG, Network.SOCKETS);
  private final DaemonPorts ports;
  private volatile boolean taken;
  // What has a thread of its own, is not always there, and ends first.
  private final List<Closeable> agents = new ArrayList<>();
  private final CompletableFuture<RemoteException> refused = new CompletableFuture<>();
  private boolean closed;

  /**
   * @param shared somebody else's store; null: one of its own
   */
  private Chunkserver(
      ChunkserverConfig config, Function<SortBuffers, Sorter> newSorter, BlockStore shared)
      throws IOException {
    this.config = config;
    this.secret = config.daemon().secret();
    this.network = config.daemon().network();
    this.id = DaemonIdentity.of(config.identityDirectory(), NAME);
    this.isStoreShared = shared != null;
    this.store = isStoreShared ? shared : BlockStore.open(config.blockStore(), network::nanoTime);
    this.segments = store.owner(ChunkserverConfig.SEGMENT_OWNER);
    this.timer = new GuardedTimer("chunkserver-timer");
    timer.setRemoveOnCancelPolicy(true);
    this.keys =
        secret.map(known -> new JobKeys(known, metaserver(KEY_REPLY_DEADLINE), KEY_DEADLINE));
    this.sorters =
        new SorterPool(
            config.threads(ChunkserverKey.SORTER_THREADS),
            () -> newSorter.apply(sortBuffers),
            dataKeys(),
            segments,
            metrics);
    this.chunks =
        new ChunkTable(
            segments,
            sorters.queue(),
            metrics,
            config.get(ChunkserverKey.CHUNKS_MAX),
            ThreadCpu::nanos);
    this.copier = new ChunkCopier(segments, chunks, network, credentials(), metrics);
    this.ports =
        new DaemonPorts(
            "chunkserver " + id, config.host(), metrics, healthChecks(), warnings, json -> {});
    this.handler =
        new ChunkserverHandler(
            chunks,
            metrics,
            timer,
            config.get(ChunkserverKey.READERS_WAITING_MAX),
            request -> request.reply(status()));
  }

  /**
   * Starts a chunkserver; it serves when this returns. Whether there is a metaserver does not
   * matter for that.
   *
   * @throws IOException naming what cannot be opened, locked or bound, or a key of TLS that cannot
   *     be used, or when nothing is said of authentication
   */
  public static Chunkserver start(ChunkserverConfig config) throws IOException {
    return started(new Chunkserver(config, ready -> sorter(config, ready), null));
  }

  /**
   * The same on a store that others use too, and that the caller closes after this server.
   *
   * @param store has the owner {@link ChunkserverConfig#SEGMENT_OWNER}
   * @param config its directories say where the server's id is kept
   */
  public static Chunkserver start(ChunkserverConfig config, BlockStore store) throws IOException {
    return started(new Chunkserver(config, ready -> sorter(config, ready), store));
  }

  /**
   * The same with other sorters.
   *
   * @param newSorter gives each sorter thread its own
   */
  static Chunkserver start(ChunkserverConfig config, Supplier<? extends Sorter> newSorter)
      throws IOException {
    return started(new Chunkserver(config, ready -> newSorter.get(), null));
  }

  private static Sorter sorter(ChunkserverConfig config, SortBuffers ready) {
    return new ChunkSorter(config.sorter(), ready);
  }

  private static Chunkserver started(Chunkserver chunkserver) throws IOException {
    boolean started = false;
    try {
      chunkserver.run();
      started = true;
      return chunkserver;
    } finally {
      if (!started) {
        chunkserver.close();
      }
    }
  }

  private void run() throws IOException {
    config.rehearsalDirectory().ifPresent(Rehearsal::clear);
    new ChunkRecovery(segments, chunks, metrics).run();
    keys.ifPresent(JobKeys::start);
    sorters.start();
    copier.start();
    ServerConfig.Deadlines deadlines = ServerConfig.Deadlines.DEFAULT;
    ServerConfig frames =
        ServerConfig.of(
                ports.name(), config.get(ChunkserverKey.BIND), config.get(ChunkserverKey.PORT))
            .withThreads(config.threads(ChunkserverKey.IO_THREADS))
            .withLimits(
                ServerConfig.Limits.DEFAULT.withConnections(
                    config.get(ChunkserverKey.CONNECTIONS_MAX)))
            .withDeadlines(
                new ServerConfig.Deadlines(
                    config.get(ChunkserverKey.FRAME_DEADLINE),
                    config.get(ChunkserverKey.WRITE_DEADLINE),
                    deadlines.idle(),
                    deadlines.close()));
    ports.open(IfileService.SERVICE, frames, handler, keys.orElse(null), config.daemon());
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    timer.scheduleWithFixedDelay(handler::forgetGone, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    timer.scheduleWithFixedDelay(chunks::forgetPast, FORGET_MS, FORGET_MS, TimeUnit.MILLISECONDS);
    if (!config.metaservers().isEmpty()) {
      Duration deadline =
          config.get(ChunkserverKey.HEARTBEAT).multipliedBy(3).plus(LEAST_LINK_DEADLINE);
      HeartbeatAgent heartbeat =
          new HeartbeatAgent(
              chunks,
              copier,
              metrics,
              metaserver(deadline),
              this::registration,
              this::heartbeatRequest,
              notices());
      agents.add(heartbeat);
      heartbeat.start();
    }
  }

  /**
   * Has the process made ready for its first job, if the configuration says so, there is nothing to
   * do yet and the memory tier is not very small: see {@link Rehearsal}. To be called once in a
   * process, by its main class: {@link #start} does not. Returns at once.
   */
  public synchronized void rehearse() {
    Duration cpuTime = config.get(ChunkserverKey.REHEARSAL);
    Optional<Path> directory = config.rehearsalDirectory();
    boolean isAsked = !cpuTime.isZero() && directory.isPresent();
    if (!isAsked || closed || chunks.isUsed() || memoryBytes() < Rehearsal.SCRATCH_BYTES) {
      return;
    }
    long warmBytes = Math.min(config.get(ChunkserverKey.WARM), memoryBytes() / WARM_PART);
    Rehearsal rehearsal =
        new Rehearsal(
            new Rehearsal.Limits(cpuTime, warmBytes, config.sorter()),
            directory.get(),
            segments,
            chunks::isUsed,
            this::readySorters);
    agents.add(rehearsal);
    rehearsal.start();
  }

  /** Gives each sorter the buffer that its first chunk will need. */
  private void readySorters() {
    int bytes = (int) Math.min(READY_BYTES, config.sorter().memoryBytes() / 2);
    for (int i = 0; i < config.threads(ChunkserverKey.SORTER_THREADS); i++) {
      sortBuffers.add(bytes);
    }
  }

  private long memoryBytes() {
    return segments.usage().capacityBytes(Tier.MEMORY);
  }

  /** Nobody has a key where nobody is authenticated; encrypted chunks of before are not sorted. */
  private DataKeys dataKeys() {
    return keys.isPresent()
        ? keys.get()
        : (job, answer) -> {
          answer.refused(Status.BAD_REQUEST, "this server authenticates nobody and has no keys");
          return null;
        };
  }

  private Credentials credentials() {
    return secret.map(Credentials::ofCluster).orElseGet(Credentials::none);
  }

  private MetaserverClient metaserver(Duration deadline) {
    return new MetaserverClient(
        network, config.metaservers(), "chunkserver " + id, credentials(), deadline);
  }

  private HeartbeatAgent.Notices notices() {
    Surroundings surroundings = new Surroundings(config.host(), config.metaservers(), warnings);
    return new HeartbeatAgent.Notices() {
      @Override
      public void jobEnded(String job) {
        keys.ifPresent(known -> known.forget(job));
      }

      @Override
      public void refused(RemoteException cause) {
        taken = false;
        refused.complete(cause);
      }

      @Override
      public void registered() {
        taken = true;
        surroundings.registered();
        keys.ifPresent(JobKeys::renew);
      }

      @Override
      public void alone(IOException cause) {
        taken = false;
        surroundings.alone(cause);
      }
    };
  }

  private void tick() {
    sorters.queue().retry();
    store.releaseIdle();
    warnings.repeat();
  }

  // ---- what others learn

  private RegisterChunkserverRequest registration() {
    StoreUsage usage = segments.usage();
    return RegisterChunkserverRequest.newBuilder()
        .setServerId(id)
        .setHost(config.host())
        .setPort(port())
        .setWebPort(webPort())
        .setMemoryCapacity(usage.capacityBytes(Tier.MEMORY))
        .setDiskCapacity(usage.capacityBytes(Tier.SSD, Tier.DISK))
        .build();
  }

  private HeartbeatRequest heartbeatRequest() {
    StoreUsage usage = segments.usage();
    return HeartbeatRequest.newBuilder()
        .setServerId(id)
        .setMemoryUsed(usage.usedBytes(Tier.MEMORY))
        .setDiskUsed(usage.usedBytes(Tier.SSD, Tier.DISK))
        .setMaxWaitMs((int) config.get(ChunkserverKey.HEARTBEAT).toMillis())
        .build();
  }

  private ServerStatusResponse status() {
    return ServerStatusResponse.newBuilder()
        .setServer(ports.name())
        .setWebPort(webPort())
        .putAllCounters(metrics())
        .build();
  }

  /** All counters and gauges by full name; a new map. */
  public Map<String, Long> metrics() {
    return ports.values();
  }

  private Map<ChunkserverMetric, Long> gauges() {
    Map<ChunkserverMetric, Long> gauges = new EnumMap<>(ChunkserverMetric.class);
    Map<ChunkState, Long> states = chunks.countByState();
    StoreUsage usage = segments.usage();
    gauges.put(ChunkserverMetric.CHUNKS_OPEN, states.getOrDefault(ChunkState.OPEN, 0L));
    gauges.put(ChunkserverMetric.CHUNKS_STABLE, states.getOrDefault(ChunkState.STABLE, 0L));
    gauges.put(ChunkserverMetric.CHUNKS_SORTED, states.getOrDefault(ChunkState.SORTED, 0L));
    gauges.put(ChunkserverMetric.CHUNKS_LOST, states.getOrDefault(ChunkState.LOST, 0L));
    gauges.put(ChunkserverMetric.WAITING_READERS, (long) handler.waiting());
    gauges.put(ChunkserverMetric.QUEUED_SORTS, (long) sorters.queue().size());
    gauges.put(ChunkserverMetric.QUEUED_SORT_BYTES, sorters.queue().bytes());
    gauges.put(ChunkserverMetric.AWAITED_SORTS, (long) sorters.queue().awaited());
    gauges.put(ChunkserverMetric.PUT_OFF_SORTS, (long) sorters.queue().putOff());
    gauges.put(ChunkserverMetric.WARNINGS, warnings.count());
    gauges.put(ChunkserverMetric.MEMORY_USED_BYTES, usage.usedBytes(Tier.MEMORY));
    gauges.put(ChunkserverMetric.MEMORY_POOLED_BYTES, usage.pooledBytes(Tier.MEMORY));
    gauges.put(ChunkserverMetric.MEMORY_CAPACITY_BYTES, usage.capacityBytes(Tier.MEMORY));
    gauges.put(ChunkserverMetric.DISK_USED_BYTES, usage.usedBytes(Tier.SSD, Tier.DISK));
    gauges.put(ChunkserverMetric.DISK_CAPACITY_BYTES, usage.capacityBytes(Tier.SSD, Tier.DISK));
    return gauges;
  }

  private List<HealthCheck> healthChecks() {
    return List.of(
        new HealthCheck(
            "metaserver",
            () -> config.metaservers().isEmpty() || taken,
            "no metaserver has taken this server; its log says why"),
        new HealthCheck("room", this::hasRoom, "no tier has room for another chunk"));
  }

  private boolean hasRoom() {
    return segments.usage().directories().stream().anyMatch(directory -> directory.freeBytes() > 0);
  }

  /**
   * Completed when this server is of no use, because it and the metaserver do not trust each other;
   * mostly never.
   */
  public CompletableFuture<RemoteException> refused() {
    return refused;
  }

  @Override
  public CompletableFuture<String> failure() {
    return refused.thenApply(cause -> "the metaserver does not take it: " + cause.getMessage());
  }

  @Override
  public String place() {
    return "%s:%s web=%s:%s id=%s lz4=%s"
        .formatted(host(), port(), host(), webPort(), id, BlockCompression.lz4Library());
  }

  /** The id that the server keeps over restarts. */
  public String id() {
    return id;
  }

  /** The host that clients are told. */
  public String host() {
    return config.host();
  }

  /** The port of the protocol. */
  public int port() {
    return ports.port();
  }

  /** The port of the web pages. */
  public int webPort() {
    return ports.webPort();
  }

  // ---- the end

  /**
   * Stops serving, lets running sorts end and lets go of the directories. The chunks stay for the
   * next start, those in memory only if the configuration says so. Waits at most about 45 s.
   * Idempotent.
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    for (Closeable agent : agents) {
      agent.close();
    }
    keys.ifPresent(JobKeys::close);
    ports.close();
    timer.shutdownNow();
    copier.close();
    sorters.close();
    if (!config.get(ChunkserverKey.KEEP_CHUNKS)) {
      deleteInMemory();
    }
    if (!isStoreShared) {
      closeStore();
    }
    LOG.info("chunkserver {} has stopped", id);
  }

  private void deleteInMemory() {
    for (Chunk chunk : chunks.list("")) {
      if (chunk.tier() == Tier.MEMORY) {
        chunk.delete();
      }
    }
  }

  private void closeStore() throws IOException {
    store.close();
    if (config.get(ChunkserverKey.KEEP_CHUNKS)) {
      return;
    }
    if (config.dataDirectories().isEmpty()) {
      DaemonIdentity.forget(config.identityDirectory(), NAME);
    }
    if (config.memoryDirectory().isPresent()) {
      deleteIfEmpty(config.memoryDirectory().get());
    }
  }

  private static void deleteIfEmpty(Path directory) throws IOException {
    try {
      Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException e) {
      LOG.info("directory={} stays, it is not empty", directory);
    }
  }
}

package dev.sailfish.metaserver;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.journal.SteadyClock;
import dev.sailfish.ground.replica.JournalPeers;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonPorts;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.kerberos.KerberosUsers;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.racks.RackResolver;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.metaserver.manifest.ManifestLimits;
import dev.sailfish.metaserver.rehearsal.Rehearsal;
import dev.sailfish.metaserver.rpc.Admission;
import dev.sailfish.metaserver.rpc.Admissions;
import dev.sailfish.metaserver.rpc.ChunkserverNames;
import dev.sailfish.metaserver.rpc.FairQueue;
import dev.sailfish.metaserver.rpc.JobAuthenticator;
import dev.sailfish.metaserver.rpc.RequestDispatch;
import dev.sailfish.metaserver.rpc.SocketProbe;
import dev.sailfish.metaserver.rpc.StateDriver;
import dev.sailfish.metaserver.state.Brake;
import dev.sailfish.metaserver.state.EntryApplier;
import dev.sailfish.metaserver.state.HeapLimits;
import dev.sailfish.metaserver.state.MetaserverState;
import dev.sailfish.metaserver.state.ServerInfo;
import dev.sailfish.metaserver.state.UserQuota;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.metaserver.yarn.ApplicationAdmission;
import dev.sailfish.metaserver.yarn.ApplicationStates;
import dev.sailfish.metaserver.yarn.ApplicationWatcher;
import dev.sailfish.metaserver.yarn.ResourceManagerStates;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running metaserver: puts the parts together and starts them. */
public final class Metaserver implements Daemon {
  public static final String NAME = "metaserver";

  private static final Logger LOG = LoggerFactory.getLogger(Metaserver.class);
  private static final Clock CLOCK = Network.SOCKETS;
  private static final int RACK_QUEUE = 10_000;
  private static final long MAX_CLOCK_STEP_MS = 5000;
  private static final long LEAD_DEADLINE_S = 300;

  /** Of each try to connect to a chunkserver that is silent. */
  private static final Duration PROBE_DEADLINE = Duration.ofSeconds(3);

  private final MetaserverConfig config;
  private final String host;
  private final Metrics<MetaserverMetric> metrics =
      new Metrics<>(MetaserverMetric.class, this::gauges);
  private final SocketProbe probe;
  private final StateDriver driver;
  private final FairQueue registrations = hostsThatWait("registrations");
  private final FairQueue binds = hostsThatWait("racks");
  private final StandingWarnings warnings = new StandingWarnings(LOG, CLOCK);
  private final ChunkserverNames names;
  private final DaemonPorts ports;
  private ApplicationWatcher watcher;
  private Rehearsal rehearsal;
  private JobAuthenticator authenticator;
  private KerberosUsers users;

  private Metaserver(MetaserverConfig config, Journal journal) {
    this.config = config;
    this.host = config.get(MetaserverKey.HOST);
    long deadAfterMs = config.get(MetaserverKey.DEAD_AFTER).toMillis();
    long step = Math.max(2 * Brake.TICK_MS, Math.min(MAX_CLOCK_STEP_MS, deadAfterMs / 4));
    this.probe = new SocketProbe(PROBE_DEADLINE);
    this.driver =
        new StateDriver(
            journal,
            () ->
                new MetaserverState(
                    deadAfterMs, config.get(MetaserverKey.DEAD_AFTER_MASS).toMillis(), metrics),
            new SteadyClock(CLOCK::nanoTime, step),
            this::lead,
            new GuardedTimer(NAME + "-timer"),
            probe);
    this.names =
        new ChunkserverNames(this::liveChunkservers, InetAddress::getAllByName, warnings, CLOCK);
    this.ports = new DaemonPorts(NAME, host, metrics, healthChecks(), warnings, this::writeDetails);
  }

  /** Of their racks; in a thread of its own. */
  private static FairQueue hostsThatWait(String thread) {
    return new FairQueue(new BoundedPool(NAME + "-" + thread, 1, RACK_QUEUE), RACK_QUEUE);
  }

  /** Only the leader hears them. */
  private List<ChunkserverNames.Registered> liveChunkservers() {
    return driver.isLeading()
        ? driver.look(
            (state, now) ->
                state.registry().live().stream().map(ChunkserverNames.Registered::of).toList())
        : List.of();
  }

  /** What this metaserver says when it begins to lead. */
  private Lead lead() {
    JournalSettings journal = config.journal();
    UserQuota quota = config.quota();
    ManifestLimits manifests =
        ManifestLimits.of(
            config.get(MetaserverKey.MANIFESTS_JOB_MAX_SIZE),
            config.get(MetaserverKey.MANIFESTS_MAX_SIZE),
            Runtime.getRuntime().maxMemory());
    HeapLimits heap = HeapLimits.of(Runtime.getRuntime().maxMemory());
    Lead.Builder lead =
        Lead.newBuilder()
            .setPeer(journal.id())
            .setWallMs(CLOCK.wallMs())
            .setChunkBytes(config.get(MetaserverKey.CHUNK_SIZE))
            .setReservationBytes(config.get(MetaserverKey.RESERVATION))
            .setLeaseMs(config.get(MetaserverKey.LEASE).toMillis())
            .setUserMaxBytes(quota.maxBytes())
            .setUserMaxIfiles(quota.maxIfiles())
            .setEncryptAll(config.encryptAll())
            .setKeepMostMs(config.get(MetaserverKey.KEEP_MAX).toMillis())
            .setManifestJobBytes(manifests.jobBytes())
            .setManifestAllBytes(manifests.allBytes())
            .setHeapJobBytes(heap.jobBytes())
            .setHeapAllBytes(heap.allBytes());
    if (!journal.peers().isEmpty()) {
      lead.setAddress(JournalSettings.text(journal.peers().get(journal.peer())));
    }
    return lead.build();
  }

  /**
   * Starts a metaserver with the jobs and chunkservers that its journal knows. A single one leads
   * when this returns; one of several serves as soon as it is elected.
   *
   * @throws IOException when a port is taken, the journal cannot be used, the racks' file or script
   *     or the cluster secret or the keys of TLS cannot be used, or when nothing is said of
   *     authentication
   */
  public static Metaserver start(MetaserverConfig config) throws IOException {
    return start(config, journal(config));
  }

  /** The same with this journal. */
  static Metaserver start(MetaserverConfig config, Journal journal) throws IOException {
    Optional<byte[]> secret = config.daemon().secret();
    Metaserver metaserver = new Metaserver(config, journal);
    boolean started = false;
    try {
      metaserver.open(secret);
      started = true;
      return metaserver;
    } finally {
      if (!started) {
        metaserver.close();
      }
    }
  }

  /**
   * Has the process made ready for its first job, if the configuration says so and no job is known:
   * see {@link Rehearsal}. To be called once in a process, by its main class: {@link #start} does
   * not. Returns at once.
   */
  void rehearse() {
    Duration cpuTime = config.get(MetaserverKey.REHEARSAL);
    if (!cpuTime.isZero() && !hasJobs()) {
      rehearsal = new Rehearsal(cpuTime, this::hasJobs);
      rehearsal.start();
    }
  }

  private boolean hasJobs() {
    return driver.look((state, now) -> !state.jobs().names().isEmpty());
  }

  private static Journal journal(MetaserverConfig config) throws IOException {
    return Journal.of(
        config.journal(), JournalPeers.of(IfileService.JOURNAL, config.journal(), config.daemon()));
  }

  private void open(Optional<byte[]> secret) throws IOException {
    if (secret.isPresent()) {
      authenticator = authenticator(secret.get());
      LOG.info("tasks know this cluster by its public key {}", authenticator.publicKey());
    }
    RackResolver resolver = MetaserverKey.RACKS.open(config.settings());
    driver.replica().open();
    RequestDispatch dispatch =
        new RequestDispatch(
            driver,
            resolver,
            registrations,
            binds,
            this::status,
            Optional.ofNullable(authenticator));
    ports.open(
        IfileService.SERVICE,
        ServerConfig.of(NAME, host, config.get(MetaserverKey.PORT))
            .withThreads(config.get(MetaserverKey.IO_THREADS))
            .withLimits(
                JournalPeers.LIMITS
                    .withConnections(config.get(MetaserverKey.CONNECTIONS_MAX))
                    .withUnauthenticated(
                        config.get(MetaserverKey.CONNECTIONS_UNAUTHENTICATED_MAX))),
        dispatch,
        authenticator,
        config.daemon());
    driver.start();
    if (config.journal().peers().isEmpty()) {
      driver.replica().awaitLead(LEAD_DEADLINE_S);
    }
    driver.replica().failure().thenAccept(this::failed);
    if (!config.resourcemanagers().isEmpty()) {
      watcher =
          ApplicationWatcher.start(
              applications(), new WatchedJobs(driver), config.resourcemanagers(), warnings);
    }
    names.start();
  }

  private ApplicationStates applications() throws IOException {
    return new ResourceManagerStates(config.resourcemanagers(), config.daemon().clientTls());
  }

  private JobAuthenticator authenticator(byte[] secret) throws IOException {
    Optional<DelegationKey> tokens =
        config.kerberos().map(kerberos -> new DelegationKey(secret, kerberos.tokenLifetime()));
    if (config.kerberos().isPresent()) {
      users =
          KerberosUsers.open(
              "metaserver",
              config.kerberos().get(),
              config.journal().peers().isEmpty()
                  ? host
                  : config.journal().peers().get(config.journal().peer()).getHostString(),
              tokens.get(),
              CLOCK::wallMs);
    }
    return new JobAuthenticator(
        driver,
        secret,
        admission(secret, tokens),
        Optional.ofNullable(users),
        new FairQueue(new GuardedTimer("metaserver-introductions")),
        new FairQueue(new GuardedTimer("metaserver-admission")));
  }

  /** Who judges what speaks for a job. */
  private Admission admission(byte[] secret, Optional<DelegationKey> tokens) throws IOException {
    Optional<Admission> applications = Optional.empty();
    if (!config.resourcemanagers().isEmpty()) {
      applications = Optional.of(new ApplicationAdmission(applications(), CLOCK));
    } else if (config.admission().contains(Admissions.RESOURCEMANAGER)) {
      LOG.warn(
          "{} is not set: jobs are admitted only with a ticket",
          MetaserverKey.RESOURCEMANAGER.name());
    }
    return new Admissions(secret, CLOCK::wallMs, config.admission(), applications, tokens);
  }

  /** The journal has failed: waiting callers are refused, and nothing is answered any more. */
  private void failed(String what) {
    Thread thread = new Thread(this::close, NAME + "-failed");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public String place() {
    return ports.place();
  }

  /** Completes with what happened if the journal fails; this metaserver closes itself then. */
  @Override
  public CompletableFuture<String> failure() {
    return driver.replica().failure().copy();
  }

  private Map<MetaserverMetric, Long> gauges() {
    Map<MetaserverMetric, Long> gauges = driver.gauges();
    gauges.put(MetaserverMetric.WARNINGS, warnings.count());
    gauges.put(MetaserverMetric.CHUNKSERVERS_MISNAMED, names.misnamed());
    return gauges;
  }

  private ServerStatusResponse status() {
    return ServerStatusResponse.newBuilder()
        .setServer(NAME)
        .setWebPort(webPort())
        .putAllCounters(metrics())
        .build();
  }

  /** All metrics and gauges by full name; a new map. */
  public Map<String, Long> metrics() {
    return ports.values();
  }

  private List<HealthCheck> healthChecks() {
    return List.of(
        new HealthCheck(
            "journal",
            () -> !driver.replica().failure().isDone(),
            "the journal has failed and this metaserver ends; its log says why"),
        new HealthCheck(
            "leader",
            driver::keepsUp,
            "no metaserver leads that this one hears, or this one is far behind it: do most of them"
                + " run?"),
        new HealthCheck(
            "chunkservers",
            () ->
                !driver.isLeading()
                    || driver.look((state, now) -> !state.registry().live().isEmpty()),
            "no chunkserver is registered"));
  }

  /** What is for people: chunkservers, the brake, and what users' jobs take beside the quota. */
  private void writeDetails(JsonGenerator json) throws IOException {
    writeChunkservers(json);
    UserQuota quota = config.quota();
    json.writeStringField("brake", driver.look((state, now) -> state.desk().brake().sentence()));
    json.writeObjectFieldStart("quota");
    json.writeNumberField("ifiles", quota.maxIfiles());
    json.writeNumberField("bytes", quota.maxBytes());
    json.writeEndObject();
    json.writeObjectFieldStart("users");
    for (Map.Entry<String, UserQuota.Usage> user :
        driver.look((state, now) -> state.users()).entrySet()) {
      json.writeObjectFieldStart(user.getKey());
      json.writeNumberField("jobs", user.getValue().jobs());
      json.writeNumberField("kept", user.getValue().kept());
      json.writeNumberField("ifiles", user.getValue().ifiles());
      json.writeNumberField("bytes", user.getValue().bytes());
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  /** Those that are live; the leader knows them first. */
  private void writeChunkservers(JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("chunkservers");
    for (ServerInfo.Place server : driver.look((state, now) -> state.registry().places())) {
      json.writeStartObject();
      json.writeStringField("id", server.id());
      json.writeStringField("address", server.address());
      json.writeStringField("rack", server.rack());
      json.writeBooleanField("draining", server.draining());
      if (server.chunksLeft().isPresent()) {
        json.writeNumberField("chunks_left", server.chunksLeft().getAsInt());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** What the watcher of applications may do. */
  private record WatchedJobs(StateDriver driver) implements ApplicationWatcher.Watched {
    @Override
    public List<String> jobs() {
      // Only the leader asks: the others would ask the same once more.
      return driver.isLeading() ? driver.look((state, now) -> state.jobs().names()) : List.of();
    }

    @Override
    public void alive(String job) {
      driver.look(
          (state, now) -> {
            state.renewIfKnown(job, now);
            return null;
          });
    }

    @Override
    public void ended(String job, String application) {
      driver.change(EntryApplier.end(job, EndJob.Cause.APPLICATION, application + " has ended"));
    }
  }

  /** Whether requests are served here: of several metaservers, one at a time does. */
  public boolean leads() {
    return driver.isLeading();
  }

  /** The port for tasks and chunkservers. */
  public int port() {
    return ports.port();
  }

  /** The port of the web endpoint; 0 while it is not yet up. */
  public int webPort() {
    return ports.webPort();
  }

  /** Stops; ends within seconds. What was acknowledged is in the journal. */
  @Override
  public void close() {
    if (rehearsal != null) {
      rehearsal.close();
    }
    if (watcher != null) {
      watcher.close();
    }
    ports.close();
    if (authenticator != null) {
      authenticator.close();
    }
    if (users != null) {
      users.close();
    }
    driver.close();
    probe.close();
    registrations.close();
    binds.close();
    names.close();
    LOG.info("metaserver stopped");
  }
}

package dev.sailfish.workflow;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonMain;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.server.web.Monitored;
import dev.sailfish.ground.server.web.WebEndpoint;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.workflow.kept.KeptIfiles;
import dev.sailfish.workflow.kept.KeptUntilCheckpointed;
import dev.sailfish.workflow.lead.LeaderState;
import dev.sailfish.workflow.lead.Leadership;
import dev.sailfish.workflow.recovery.Recovery;
import dev.sailfish.workflow.recovery.RecoverySettings;
import dev.sailfish.workflow.recovery.RecoveryStatus;
import dev.sailfish.workflow.seal.Sealer;
import dev.sailfish.workflow.share.Scheduling;
import dev.sailfish.workflow.step.StepRunner;
import dev.sailfish.workflow.step.StepsByRecipe;
import dev.sailfish.workflow.step.command.CommandSteps;
import dev.sailfish.workflow.step.mapreduce.MapReduceSteps;
import dev.sailfish.workflow.store.LineageLink;
import dev.sailfish.workflow.store.StoreLock;
import dev.sailfish.workflow.yarn.BackgroundSteps;
import dev.sailfish.workflow.yarn.YarnLink;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A workflow manager (section 4 of the earlier Tachyon paper): has lost files recomputed, and seals
 * the records of jobs that have ended. Of several, one works and the others stand by. It keeps
 * nothing: what is lost the store knows, and what runs YARN.
 */
public final class WorkflowManager implements Daemon {
  /** What a workflow manager is called. */
  public static final String NAME = "workflow";

  private static final Logger LOG = LoggerFactory.getLogger(WorkflowManager.class);
  private static final String STORE = "store";
  private static final String ROUND = "recovery";
  private static final String CONTAINERS = "containers";
  private static final String SEALING = "sealing";
  private static final String KEPT = "kept";
  private static final String PRIORITIES = "priorities";
  private static final long ROUND_MS = 1_000;
  private static final long LOCK_MS = 2_000;
  private static final long SEAL_MS = 10_000;

  /** Shorter: a record has to be seen before it is sealed, and goes. */
  private static final long KEPT_MS = 3_000;

  private static final int STEP_THREADS = 4;

  /** Programs are copied, file systems asked for tokens, and YARN asked to accept it. */
  private static final Duration STEP_BEGINNING = Duration.ofMinutes(10);

  /** Shorter than the lease of a master's client is by default. */
  private static final Duration DOUBT = Duration.ofSeconds(20);

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final DaemonSettings daemon;
  private final Network network;
  private final RecoverySettings recoverySettings;
  private final StoreClient client;
  private final NamespaceClient lockClient;
  private final LineageLink store;
  private final Leadership leadership;
  private final YarnLink yarn;
  private final BackgroundSteps steps;
  private final Sealer sealer;
  private final KeptUntilCheckpointed kept;
  private final StandingWarnings warnings = new StandingWarnings(LOG, Network.SOCKETS);
  private final Metrics<WorkflowMetric> metrics = new Metrics<>(WorkflowMetric.class, this::gauges);
  private final ScheduledExecutorService locking = new GuardedTimer(NAME + "-lock");
  private final ScheduledExecutorService rounds = new GuardedTimer(NAME + "-rounds");
  private final ScheduledExecutorService keeping = new GuardedTimer(NAME + "-kept");
  private final String bind;
  private Recovery recovery; // of the rounds' thread; null: this manager does not work
  private volatile RecoveryStatus status = RecoveryStatus.NONE;
  private volatile int growing;
  private volatile boolean hearsStore;
  private volatile WebEndpoint web;

  /** Makes what runs steps, with the manager's client of the store. */
  @FunctionalInterface
  public interface Runner {
    /** The client is closed after the runner was asked last. */
    StepRunner of(StoreClient client);
  }

  private WorkflowManager(Settings settings, Configuration conf, Runner runner) throws IOException {
    WorkflowKey.ALL.check(settings);
    daemon = DaemonSettings.of(settings, WorkflowKey.SERVER, true);
    network = daemon.network();
    bind = settings.get(WorkflowKey.BIND);
    recoverySettings = WorkflowKey.recovery(settings);
    StoreClientConfig store = storeConfig(settings);
    client = new StoreClient(store);
    this.store = new LineageLink(client);
    lockClient = new NamespaceClient(store, new SecureRandom().nextLong() | 1);
    leadership =
        new Leadership(new StoreLock(lockClient, settings.get(WorkflowKey.LOCK)), DOUBT.toNanos());
    Scheduling scheduling = YarnLink.scheduling(conf, settings.get(WorkflowKey.SCHEDULER));
    yarn = new YarnLink(conf, scheduling, recoverySettings.name(), network);
    steps =
        new BackgroundSteps(
            runner.of(client), new GuardedTimer(NAME + "-step", STEP_THREADS), STEP_BEGINNING);
    sealer = new Sealer(this.store, yarn, settings.get(WorkflowKey.SEAL_UNKNOWN).toNanos());
    kept =
        new KeptUntilCheckpointed(
            new KeptIfiles(network, daemon.credentials()), conf, client.lineage()::find);
    warnOf(scheduling);
  }

  private StoreClientConfig storeConfig(Settings settings) throws IOException {
    return new StoreClientConfig(
        settings.get(WorkflowKey.MASTER_ADDRESS).stream().map(HostPort::unresolved).toList(),
        network,
        daemon.credentials(),
        StoreUser.newBuilder().setName(System.getProperty("user.name")).setSuperuser(true).build(),
        Set.of(),
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        PATIENCE);
  }

  private void warnOf(Scheduling scheduling) {
    if (scheduling.kind() == Scheduling.Kind.PRIORITIES && !scheduling.hasPriorities()) {
      warnings.raise(
          PRIORITIES,
          "yarn.cluster.max-application-priority is 0 in yarn-site.xml, so that what a job waits"
              + " for cannot be put before others: set it to 10, for instance, here and at the"
              + " ResourceManager",
          "");
    }
  }

  /** The process of a manager; the argument is its properties file. */
  public static void main(String[] args) {
    DaemonMain.run(NAME, args, WorkflowKey::checked, WorkflowManager::start);
  }

  /**
   * Starts a manager for the cluster whose configuration is on the class path. With Kerberos it
   * logs in as its keytab says.
   *
   * @throws IOException saying what cannot be used
   */
  public static WorkflowManager start(Settings settings) throws IOException {
    Configuration conf = new JobConf(new YarnConfiguration());
    login(settings, conf);
    DaemonSettings daemon = DaemonSettings.of(settings, WorkflowKey.SERVER, true);
    KeptIfiles ifiles = new KeptIfiles(daemon.network(), daemon.credentials());
    return start(settings, conf, client -> runner(settings, conf, client.lineage(), ifiles));
  }

  private static StepRunner runner(
      Settings settings, Configuration conf, Lineage lineage, KeptIfiles ifiles) {
    return new StepsByRecipe(
        Map.of(
            Recipe.KindCase.MAP_REDUCE,
            new MapReduceSteps(conf, lineage, ifiles),
            Recipe.KindCase.COMMAND,
            new CommandSteps(conf, lineage, settings.get(WorkflowKey.COMMAND_DEADLINE))));
  }

  private static void login(Settings settings, Configuration conf) throws IOException {
    UserGroupInformation.setConfiguration(conf);
    Optional<Path> keytab = settings.get(WorkflowKey.KERBEROS_KEYTAB);
    if (keytab.isPresent()) {
      String principal = settings.get(WorkflowKey.KERBEROS_PRINCIPAL);
      UserGroupInformation.loginUserFromKeytab(
          SecurityUtil.getServerPrincipal(principal, InetAddress.getLocalHost()),
          keytab.get().toString());
    }
  }

  /**
   * Starts a manager; it serves when this returns, whether store and YARN answer or not.
   *
   * @param conf of the YARN cluster
   * @param runner runs its steps
   * @throws IOException saying what cannot be used
   */
  public static WorkflowManager start(Settings settings, Configuration conf, Runner runner)
      throws IOException {
    WorkflowManager manager = new WorkflowManager(settings, conf, runner);
    boolean started = false;
    try {
      manager.open();
      started = true;
      return manager;
    } finally {
      if (!started) {
        manager.close();
      }
    }
  }

  private void open() throws IOException {
    Monitored monitored =
        new Monitored(
            NAME,
            InetAddress.getLocalHost().getHostName(),
            () -> 0,
            List.of(metrics),
            List.of(
                new HealthCheck(
                    STORE, () -> hearsStore, "no lineage master answers; the log says why")),
            warnings,
            this::details);
    web =
        WebEndpoint.start(monitored, bind, daemon.webPort(), daemon.webToken(), daemon.serverTls());
    locking.scheduleWithFixedDelay(this::lead, 0, LOCK_MS, TimeUnit.MILLISECONDS);
    rounds.scheduleWithFixedDelay(this::round, ROUND_MS, ROUND_MS, TimeUnit.MILLISECONDS);
    rounds.scheduleWithFixedDelay(this::seal, SEAL_MS, SEAL_MS, TimeUnit.MILLISECONDS);
    keeping.scheduleWithFixedDelay(this::dropKept, KEPT_MS, KEPT_MS, TimeUnit.MILLISECONDS);
  }

  private void lead() {
    LeaderState before = leadership.state();
    try {
      leadership.round(network.nanoTime());
      hearsStore = true;
      warnings.clear(STORE);
    } catch (IOException e) {
      hearsStore = false;
      warnings.raise(
          STORE,
          "no lineage master answers, trying again; until then nothing is recomputed: is "
              + WorkflowKey.MASTER_ADDRESS.name()
              + " right?",
          e.toString());
    }
    if (leadership.state() != before) {
      LOG.info("this manager is {} now", leadership.state());
    }
    warnings.repeat();
  }

  private void round() {
    if (!leadership.isLeading(network.nanoTime())) {
      standBy();
      return;
    }
    if (recovery == null) {
      recovery = new Recovery(recoverySettings, store, steps, yarn);
    }
    try {
      recovery.round(network.nanoTime());
      metrics.increment(WorkflowMetric.ROUNDS);
      warnings.clear(ROUND);
    } catch (IOException e) {
      warnings.raise(
          ROUND, "lost files are not recomputed while store or YARN do not answer", e.toString());
    } catch (RuntimeException e) {
      LOG.error("recovery begins anew, what runs is adopted", e);
      standBy();
      return;
    }
    tell(recovery.status());
  }

  private void tell(RecoveryStatus now) {
    metrics.add(WorkflowMetric.STEPS_SUCCEEDED, now.succeeded() - status.succeeded());
    metrics.add(WorkflowMetric.STEPS_FAILED, now.failed() - status.failed());
    metrics.add(WorkflowMetric.CONTAINERS_TAKEN, now.taken() - status.taken());
    status = now;
    if (now.obstacle().isEmpty()) {
      warnings.clear(CONTAINERS);
    } else {
      warnings.raise(CONTAINERS, now.obstacle(), "");
    }
  }

  private void standBy() {
    if (recovery != null) {
      recovery.close();
      recovery = null;
      status = RecoveryStatus.NONE;
    }
  }

  private void seal() {
    if (!leadership.isLeading(network.nanoTime())) {
      return;
    }
    long before = sealer.sealed();
    try {
      sealer.round(network.nanoTime());
      warnings.clear(SEALING);
    } catch (IOException e) {
      warnings.raise(
          SEALING, "records of jobs that have ended are not sealed, trying again", e.toString());
    }
    growing = sealer.growing();
    metrics.add(WorkflowMetric.RECORDS_SEALED, sealer.sealed() - before);
  }

  private void dropKept() {
    if (!leadership.isLeading(network.nanoTime())) {
      return;
    }
    try {
      kept.round();
      warnings.clear(KEPT);
    } catch (IOException | RuntimeException e) {
      warnings.raise(
          KEPT,
          "I-files that are kept until outputs are checkpointed are not dropped, trying again; they"
              + " go when their time has passed",
          e.toString());
    }
  }

  private Map<WorkflowMetric, Long> gauges() {
    return WorkflowMetric.of(status, leadership.isLeading(network.nanoTime()), growing);
  }

  private void details(JsonGenerator json) throws IOException {
    json.writeStringField("state", leadership.state().name());
    json.writeArrayFieldStart("steps");
    for (RecoveryStatus.Line step : status.steps()) {
      json.writeStartObject();
      json.writeNumberField("dependency", step.dependency());
      json.writeNumberField("files", step.files());
      json.writeStringField("progress", step.progress());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** The port of the web pages. */
  public int webPort() {
    return web.port();
  }

  /** All counters and gauges by full name; a new map. */
  public Map<String, Long> metrics() {
    return metrics.values();
  }

  @Override
  public String place() {
    return "web=" + webPort();
  }

  @Override
  public CompletableFuture<String> failure() {
    return new CompletableFuture<>();
  }

  /** Stops; what runs goes on, for the next manager. */
  @Override
  public void close() throws IOException {
    rounds.shutdownNow();
    locking.shutdownNow();
    keeping.shutdownNow();
    steps.close();
    if (web != null) {
      web.close();
    }
    try {
      leadership.stop();
    } finally {
      lockClient.close();
      client.close();
      yarn.close();
    }
  }
}

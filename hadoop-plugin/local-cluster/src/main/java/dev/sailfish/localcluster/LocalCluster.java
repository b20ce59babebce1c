package dev.sailfish.localcluster;

import dev.sailfish.ground.wire.secret.ClusterSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * A cluster of processes on this machine, remembered in a work directory from which another run of
 * the command can inspect and stop it.
 *
 * <p>What {@link #start} has started ends with this JVM, unless {@link #leaveRunning} was called.
 */
public final class LocalCluster {
  /** The JVM options of map and reduce tasks on every local cluster. */
  public static final String TASK_OPTIONS = "-Xmx1500m -XX:+UseParallelGC -XX:ParallelGCThreads=2";

  private static final Duration READY_DEADLINE = Duration.ofSeconds(120);
  private static final Duration READY_POLL = Duration.ofMillis(250);
  private static final Duration GRACE = Duration.ofSeconds(15);

  /**
   * A NodeManager that ran a job waits 7 s for what never comes, and keeps nothing that matters.
   */
  private static final Duration NODE_MANAGER_GRACE = Duration.ofSeconds(3);

  private static final Duration CONTAINER_GRACE = Duration.ofSeconds(2);

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final Consumer<String> progress;
  private boolean started;
  private boolean stopped;

  /**
   * A cluster that may or may not run.
   *
   * @param distribution what to start
   * @param layout where it lives
   * @param progress receives a line for each step
   */
  public LocalCluster(Distribution distribution, ClusterLayout layout, Consumer<String> progress) {
    this.distribution = distribution;
    this.layout = layout;
    this.progress = progress;
  }

  /** What it is started from. */
  public Distribution distribution() {
    return distribution;
  }

  /** Where this cluster lives. */
  public ClusterLayout layout() {
    return layout;
  }

  /** Whether all processes run that jobs need, so all but the web process. */
  public boolean isUp() {
    List<DaemonRecord> daemons = new ArrayList<>(recordedState().daemons());
    daemons.removeIf(daemon -> SailfishProcesses.isWeb(daemon.name()));
    return !daemons.isEmpty() && daemons.stream().allMatch(DaemonRecord::isRunning);
  }

  /** What is known of the running cluster; an error that says what to do when it cannot serve. */
  public ClusterState state() {
    ClusterState state = recordedState();
    if (!state.serves()) {
      String advice =
          "No local cluster is running in %s, or too little of it: start one with bin/sailfish"
              + " start (bin/sailfish status shows what is missing), or let HADOOP_CONF_DIR name"
              + " a cluster.";
      throw new CommandException(advice.formatted(layout.home()));
    }
    return state;
  }

  /** What is written down about the cluster, running or not; empty lists when there is nothing. */
  public ClusterState recordedState() {
    return ClusterState.read(layout.stateFile()).orElse(ClusterState.NOTHING);
  }

  /**
   * Starts all daemons and waits until they serve. When one does not, all are stopped again and the
   * error quotes its log.
   *
   * @param sailfish Sailfish's daemons
   * @param hadoop keys of Hadoop's configuration, over those that the cluster sets itself
   */
  public void start(SailfishOptions sailfish, Map<String, String> hadoop) {
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopIfStarted, "stop-cluster"));
    String busy = "Another command is starting a cluster in " + layout.home() + ".";
    ClusterLock lock = ClusterLock.acquire(layout, layout.startLock(), busy);
    try {
      if (recordedState().anyRunning()) {
        String advice = ": see bin/sailfish status, or end it with bin/sailfish stop.";
        throw new CommandException(
            "A local cluster is already running in " + layout.home() + advice);
      }
      startAll(sailfish, hadoop);
    } catch (IOException e) {
      throw new CommandException(
          "Cannot start a cluster in " + layout.home() + ": " + e.getMessage(), e);
    } finally {
      lock.close();
    }
  }

  private void startAll(SailfishOptions options, Map<String, String> settings) throws IOException {
    removeLeftovers(recordedState());
    Directories.delete(layout.data());
    for (Path directory : List.of(layout.conf(), layout.data(), layout.containerLogs())) {
      Files.createDirectories(directory);
    }
    try (FreePorts ports = new FreePorts(new SplittableRandom(ProcessHandle.current().pid()))) {
      startAll(ports, options, settings);
    }
  }

  private void startAll(FreePorts ports, SailfishOptions options, Map<String, String> settings)
      throws IOException {
    HadoopProcesses hadoop = new HadoopProcesses(distribution, layout, ports);
    ClusterSecret.create(layout.secret());
    SailfishProcesses sailfish =
        new SailfishProcesses(distribution, layout, ports, hadoop, options);
    Map<String, String> jobKeys = sailfish.jobKeys();
    Map<String, String> all = new HashMap<>(sailfish.storeKeys());
    all.putAll(settings);
    hadoop.writeConfiguration(jobKeys, all);
    List<DaemonSpec> specs = new ArrayList<>(sailfish.specs());
    specs.addAll(hadoop.specs());
    sailfish.web().ifPresent(specs::add);
    try {
      spawnAll(specs, new ClusterState(sailfish.memoryDirectories(), jobKeys, List.of()));
      awaitReady(specs);
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
  }

  private void spawnAll(List<DaemonSpec> specs, ClusterState empty) {
    empty.write(layout.stateFile());
    for (DaemonSpec spec : specs) {
      Directories.delete(log(spec));
      synchronized (this) {
        started = !stopped;
        spawn(spec);
      }
    }
  }

  private Path log(DaemonSpec spec) {
    return layout.logs().resolve(spec.name() + ".log");
  }

  private synchronized DaemonRecord spawn(DaemonSpec spec) {
    if (stopped) {
      throw new CommandException("The cluster was stopped while it started.");
    }
    DaemonRecord daemon = spec.start(log(spec));
    recordedState().with(daemon).write(layout.stateFile());
    progress.accept(
        "started " + spec.name() + " (pid " + daemon.pid() + ", " + spec.address() + ")");
    return daemon;
  }

  private void awaitReady(List<DaemonSpec> specs) {
    List<DaemonRecord> daemons = recordedState().daemons();
    for (int i = 0; i < specs.size(); i++) {
      awaitReady(specs.get(i), daemons.get(i));
    }
  }

  private void awaitReady(DaemonSpec spec, DaemonRecord daemon) {
    RestClient web = new RestClient(spec.web(), layout.tls());
    new Await(READY_DEADLINE, READY_POLL)
        .until(
            () -> {
              if (!daemon.isRunning()) {
                throw new CommandException(describeFailure(daemon, "ended while starting"));
              }
              return spec.ready().test(web);
            },
            () ->
                describeFailure(
                    daemon, "does not serve after " + READY_DEADLINE.toSeconds() + " s"));
    progress.accept(spec.name() + " is ready");
  }

  private static String describeFailure(DaemonRecord daemon, String what) {
    String tail = LogTail.of(Path.of(daemon.log()));
    return daemon.name() + " " + what + ". Its log " + daemon.log() + " ends:\n" + tail;
  }

  /** Kills a daemon with SIGKILL, as a machine loses it; it stays in the cluster's records. */
  public void kill(DaemonRecord daemon) {
    DaemonRecord.kill(List.of(daemon), GRACE);
    progress.accept("killed " + daemon.name() + " (pid " + daemon.pid() + ")");
  }

  /**
   * Kills a worker of the lineage store with SIGKILL and deletes what it kept, in memory and on
   * disk, as a machine goes that does not come back.
   */
  public void lose(DaemonRecord lineageWorker) {
    kill(lineageWorker);
    recordedState().memoryDirectories().stream()
        .filter(directory -> directory.endsWith("-" + lineageWorker.name()))
        .forEach(directory -> Directories.delete(Path.of(directory)));
    Directories.delete(layout.data().resolve(lineageWorker.name()));
  }

  /**
   * Starts a chunkserver, a worker of the lineage store or the web process again that has ended,
   * with its configuration, directories and addresses, and waits until it serves. Nothing happens
   * if it runs.
   */
  public void startAgain(DaemonRecord daemon) {
    if (!daemon.isRunning()) {
      DaemonSpec spec = SailfishProcesses.again(distribution, layout, daemon);
      awaitReady(spec, spawn(spec));
    }
  }

  /** What was started runs on when this JVM ends. */
  public synchronized void leaveRunning() {
    started = false;
  }

  /**
   * Ends every recorded process that still runs, then those of YARN's containers that outlived
   * their NodeManager, and removes what the cluster kept in memory. Returns how many daemons it had
   * to end. May be called from another thread while {@link #start} runs: nothing is started after
   * it.
   */
  public synchronized int stop() {
    stopped = true;
    started = false;
    ClusterState state = recordedState();
    List<DaemonRecord> running = state.daemons().stream().filter(DaemonRecord::isRunning).toList();
    List<DaemonRecord> nodeManagers = new ArrayList<>(running);
    nodeManagers.retainAll(state.nodeManagers());
    List<DaemonRecord> containers =
        nodeManagers.stream()
            .flatMap(daemon -> ProcessStat.descendantsOf(daemon.pid()).stream())
            .map(stat -> new DaemonRecord("container", stat.pid(), stat.startTicks(), "", "", ""))
            .toList();
    DaemonRecord.end(nodeManagers, NODE_MANAGER_GRACE);
    DaemonRecord.end(containers, CONTAINER_GRACE);
    DaemonRecord.end(running, GRACE);
    running.forEach(
        daemon -> progress.accept("stopped " + daemon.name() + " (pid " + daemon.pid() + ")"));
    removeLeftovers(state);
    return running.size();
  }

  /** Stops what this very object started; a cluster that somebody else started runs on. */
  synchronized void stopIfStarted() {
    stopped = true;
    if (started) {
      stop();
    }
  }

  private void removeLeftovers(ClusterState state) {
    state.memoryDirectories().forEach(directory -> Directories.delete(Path.of(directory)));
    Directories.delete(layout.stateFile());
    Directories.delete(layout.secret());
  }
}

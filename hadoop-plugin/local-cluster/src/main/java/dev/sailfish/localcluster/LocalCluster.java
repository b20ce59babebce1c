package dev.sailfish.localcluster;

import dev.sailfish.ground.wire.secret.ClusterSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A cluster of processes on this machine, remembered in a work directory from which another run of
 * the command can inspect and stop it.
 *
 * <p>{@link #stop} and {@link #stopIfStarted} may be called from another thread (a shutdown hook)
 * while {@link #start} runs: nothing is started after it.
 */
public final class LocalCluster {
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

  /** The JVM options of map and reduce tasks on every local cluster. */
  public static String taskOptions() {
    return HadoopProcesses.TASK_OPTIONS;
  }

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

  /** Where this cluster lives. */
  public ClusterLayout layout() {
    return layout;
  }

  /** Whether all its processes run. */
  public boolean isUp() {
    return ClusterState.read(layout.stateFile())
        .filter(state -> !state.daemons().isEmpty())
        .filter(state -> state.daemons().stream().allMatch(DaemonRecord::isRunning))
        .isPresent();
  }

  /** What is known of the running cluster; an error that says what to do when it cannot serve. */
  public ClusterState state() {
    ClusterState state = recordedState();
    if (!state.serves()) {
      throw new CommandException(
          "No local cluster is running in "
              + layout.home()
              + ", or too little of it: start one with bin/sailfish start (bin/sailfish status shows"
              + " what is missing), or let HADOOP_CONF_DIR name a cluster.");
    }
    return state;
  }

  /** What is written down about the cluster, running or not; empty lists when there is nothing. */
  public ClusterState recordedState() {
    return ClusterState.read(layout.stateFile())
        .orElseGet(() -> new ClusterState(List.of(), List.of()));
  }

  /**
   * Starts all daemons and waits until they serve. When one does not, all are stopped again and the
   * error quotes its log.
   *
   * @param sailfish Sailfish's daemons, if any belong to the cluster
   * @param hadoop keys of Hadoop's configuration, over those that the cluster sets itself
   */
  public void start(Optional<SailfishOptions> sailfish, Map<String, String> hadoop) {
    String busy = "Another command is starting a cluster in " + layout.home() + ".";
    ClusterLock lock = ClusterLock.acquire(layout, layout.startLock(), busy);
    try {
      startLocked(sailfish, hadoop);
    } catch (IOException e) {
      throw new CommandException(
          "Cannot start a cluster in " + layout.home() + ": " + e.getMessage(), e);
    } finally {
      lock.close();
    }
  }

  private void startLocked(Optional<SailfishOptions> options, Map<String, String> settings)
      throws IOException {
    if (recordedState().anyRunning()) {
      throw new CommandException(
          "A local cluster is already running in "
              + layout.home()
              + ": see bin/sailfish status, or end it with"
              + " bin/sailfish stop.");
    }
    removeLeftovers(recordedState());
    deleteTree(layout.data());
    for (Path directory : List.of(layout.conf(), layout.data(), layout.containerLogs())) {
      Files.createDirectories(directory);
    }
    FreePorts ports = new FreePorts(RandomGenerator.getDefault());
    HadoopProcesses hadoop = new HadoopProcesses(distribution, layout, ports, settings);
    List<DaemonSpec> specs = new ArrayList<>();
    List<String> memoryDirectories = new ArrayList<>();
    Map<String, String> shuffle = new LinkedHashMap<>();
    if (options.isPresent()) {
      ClusterSecret.create(layout.secret());
      SailfishProcesses sailfish =
          new SailfishProcesses(
              distribution, layout, ports, hadoop.resourceManagerWeb(), options.get());
      sailfish.writeConfiguration();
      specs.addAll(sailfish.specs());
      memoryDirectories.addAll(sailfish.memoryDirectories());
      shuffle.putAll(sailfish.jobConfiguration());
    }
    hadoop.writeConfiguration(shuffle);
    specs.addAll(hadoop.specs());
    try {
      spawnAll(specs, new ClusterState(memoryDirectories, List.of()));
      awaitReady(specs);
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
  }

  private void spawnAll(List<DaemonSpec> specs, ClusterState empty) {
    ClusterState state = empty;
    state.write(layout.stateFile());
    for (DaemonSpec spec : specs) {
      synchronized (this) {
        if (stopped) {
          throw new CommandException("The cluster was stopped while it started.");
        }
        started = true;
        DaemonRecord daemon =
            DaemonProcess.start(spec, layout.logs().resolve(spec.name() + ".log"));
        state = state.with(daemon);
        state.write(layout.stateFile());
        progress.accept(
            "started " + spec.name() + " (pid " + daemon.pid() + ", " + spec.address() + ")");
      }
    }
  }

  private void awaitReady(List<DaemonSpec> specs) {
    ClusterState state = recordedState();
    for (DaemonSpec spec : specs) {
      DaemonRecord daemon = state.daemon(spec.name()).orElseThrow();
      new Await(READY_DEADLINE, READY_POLL)
          .until(
              () -> {
                if (!daemon.isRunning()) {
                  throw new CommandException(describeFailure(daemon, "ended while starting"));
                }
                return spec.ready().getAsBoolean();
              },
              () ->
                  describeFailure(
                      daemon, "does not serve after " + READY_DEADLINE.toSeconds() + " s"));
      progress.accept(spec.name() + " is ready");
    }
  }

  private static String describeFailure(DaemonRecord daemon, String what) {
    return daemon.name()
        + " "
        + what
        + ". Its log "
        + daemon.log()
        + " ends:\n"
        + LogTail.of(Path.of(daemon.log()));
  }

  /**
   * Ends every recorded process that still runs, then those of YARN's containers that outlived
   * their NodeManager, and removes what the cluster kept in memory. Returns how many daemons it had
   * to end.
   */
  public synchronized int stop() {
    stopped = true;
    ClusterState state = recordedState();
    List<DaemonRecord> running = state.daemons().stream().filter(DaemonRecord::isRunning).toList();
    List<DaemonRecord> nodeManagers =
        running.stream()
            .filter(daemon -> daemon.name().equals(HadoopProcesses.NODE_MANAGER))
            .toList();
    List<DaemonRecord> containers = new ArrayList<>();
    nodeManagers.forEach(daemon -> containers.addAll(containersOf(daemon)));
    DaemonProcess.end(nodeManagers, NODE_MANAGER_GRACE);
    DaemonProcess.end(containers, CONTAINER_GRACE);
    DaemonProcess.end(running, GRACE);
    running.forEach(
        daemon -> progress.accept("stopped " + daemon.name() + " (pid " + daemon.pid() + ")"));
    removeLeftovers(state);
    return running.size();
  }

  /**
   * Stops the cluster if this very object started it or part of it; one that somebody else started
   * runs on. Nothing is started afterwards.
   */
  public synchronized void stopIfStarted() {
    stopped = true;
    if (started) {
      stop();
    }
  }

  private static List<DaemonRecord> containersOf(DaemonRecord nodeManager) {
    return ProcessStat.descendantsOf(nodeManager.pid()).stream()
        .map(stat -> new DaemonRecord("container", stat.pid(), stat.startTicks(), "", "", ""))
        .toList();
  }

  private void removeLeftovers(ClusterState state) {
    try {
      for (String directory : state.memoryDirectories()) {
        deleteTree(Path.of(directory));
      }
      Files.deleteIfExists(layout.stateFile());
      Files.deleteIfExists(layout.secret());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}

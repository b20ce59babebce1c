package dev.sailfish.localcluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The file that remembers which processes make up a local cluster; rewritten after each start of a
 * process, so that nothing that was started is ever forgotten.
 *
 * @param memoryDirectories directories in memory that belong to this cluster and are deleted when
 *     it stops
 * @param jobKeys what jobs set to find Sailfish's daemons; empty when none run
 * @param daemons in the order in which they were started
 */
public record ClusterState(
    List<String> memoryDirectories, Map<String, String> jobKeys, List<DaemonRecord> daemons) {
  /** A cluster that does not run. */
  static final ClusterState NOTHING = new ClusterState(List.of(), Map.of(), List.of());

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public ClusterState {
    memoryDirectories = List.copyOf(memoryDirectories);
    jobKeys = Map.copyOf(jobKeys);
    daemons = List.copyOf(daemons);
  }

  /** This state and one more daemon, or a later life of one of the same name in its place. */
  ClusterState with(DaemonRecord daemon) {
    List<DaemonRecord> more = new ArrayList<>(daemons);
    more.replaceAll(known -> known.name().equals(daemon.name()) ? daemon : known);
    if (!more.contains(daemon)) {
      more.add(daemon);
    }
    return new ClusterState(memoryDirectories, jobKeys, more);
  }

  private List<DaemonRecord> named(Predicate<String> names) {
    return daemons.stream().filter(daemon -> names.test(daemon.name())).toList();
  }

  /** YARN's ResourceManager; the cluster must run. */
  public DaemonRecord resourceManager() {
    return named(HadoopProcesses.RESOURCE_MANAGER::equals).get(0);
  }

  /** The server that knows ended jobs; the cluster must run. */
  public DaemonRecord historyServer() {
    return named(HadoopProcesses.HISTORY_SERVER::equals).get(0);
  }

  /** The parents of all containers. */
  List<DaemonRecord> nodeManagers() {
    return named(HadoopProcesses.NODE_MANAGER::equals);
  }

  /** The metaservers, one or several. */
  public List<DaemonRecord> metaservers() {
    return named(SailfishProcesses::isMetaserver);
  }

  /** The chunkservers. */
  public List<DaemonRecord> chunkservers() {
    return named(SailfishProcesses::isChunkserver);
  }

  /** The masters of the lineage store; none if it was started without one. */
  public List<DaemonRecord> lineageMasters() {
    return named(SailfishProcesses::isLineageMaster);
  }

  /** The workers of the lineage store; none if it was started without one. */
  public List<DaemonRecord> lineageWorkers() {
    return named(SailfishProcesses::isLineageWorker);
  }

  /** The daemons of Sailfish, which have a page of their counters; not the web process. */
  public List<DaemonRecord> sailfishDaemons() {
    return named(name -> SailfishProcesses.isName(name) && !SailfishProcesses.isWeb(name));
  }

  /** The web process; absent if it was started without one. */
  public Optional<DaemonRecord> web() {
    return named(SailfishProcesses::isWeb).stream().findFirst();
  }

  private static long running(List<DaemonRecord> daemons) {
    return daemons.stream().filter(DaemonRecord::isRunning).count();
  }

  /** Whether any process of the cluster still runs. */
  boolean anyRunning() {
    return running(daemons) > 0;
  }

  /** Whether jobs can run: all run whose place no other takes, most metaservers, a chunkserver. */
  boolean serves() {
    List<DaemonRecord> hadoop = named(name -> !SailfishProcesses.isName(name));
    List<DaemonRecord> metaservers = metaservers();
    List<DaemonRecord> chunkservers = chunkservers();
    return !daemons.isEmpty()
        && running(hadoop) == hadoop.size()
        && (metaservers.isEmpty() || 2 * running(metaservers) > metaservers.size())
        && (chunkservers.isEmpty() || running(chunkservers) > 0);
  }

  /** What was written to the file, or empty when there is no such file. */
  static Optional<ClusterState> read(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readValue(file.toFile(), ClusterState.class));
    } catch (IOException e) {
      throw new CommandException(
          "Cannot read the cluster's state from " + file + ": " + e.getMessage(), e);
    }
  }

  /** Replaces the file as a whole: a reader sees the old state or the new one. */
  void write(Path file) {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try {
      JSON.writeValue(fresh.toFile(), this);
      Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

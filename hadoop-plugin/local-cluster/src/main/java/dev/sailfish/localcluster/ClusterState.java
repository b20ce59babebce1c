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
import java.util.Optional;

/**
 * The file that remembers which processes make up a local cluster; rewritten after each start of a
 * process, so that nothing that was started is ever forgotten.
 *
 * @param memoryDirectories directories on /dev/shm that belong to this cluster and are deleted when
 *     it stops
 * @param daemons in the order in which they were started
 */
public record ClusterState(List<String> memoryDirectories, List<DaemonRecord> daemons) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public ClusterState {
    memoryDirectories = List.copyOf(memoryDirectories);
    daemons = List.copyOf(daemons);
  }

  /** This state and one more daemon. */
  ClusterState with(DaemonRecord daemon) {
    List<DaemonRecord> more = new ArrayList<>(daemons);
    more.add(daemon);
    return new ClusterState(memoryDirectories, more);
  }

  /** The daemon of that name, if the cluster has one. */
  public Optional<DaemonRecord> daemon(String name) {
    return daemons.stream().filter(daemon -> daemon.name().equals(name)).findFirst();
  }

  /** The metaservers, one or several. */
  public List<DaemonRecord> metaservers() {
    return daemons.stream()
        .filter(daemon -> SailfishProcesses.isMetaserver(daemon.name()))
        .toList();
  }

  /** Whether any process of the cluster still runs. */
  boolean anyRunning() {
    return daemons.stream().anyMatch(DaemonRecord::isRunning);
  }

  /** Whether jobs can run: all run whose place no other takes, most metaservers, a chunkserver. */
  boolean serves() {
    int metaservers = 0;
    int metaserversUp = 0;
    int chunkservers = 0;
    int chunkserversUp = 0;
    for (DaemonRecord daemon : daemons) {
      int up = daemon.isRunning() ? 1 : 0;
      if (SailfishProcesses.isMetaserver(daemon.name())) {
        metaservers++;
        metaserversUp += up;
      } else if (SailfishProcesses.isName(daemon.name())) {
        chunkservers++;
        chunkserversUp += up;
      } else if (up == 0) {
        return false;
      }
    }
    return !daemons.isEmpty()
        && (metaservers == 0 || 2 * metaserversUp > metaservers)
        && (chunkservers == 0 || chunkserversUp > 0);
  }

  /** The daemons of Sailfish: metaserver and chunkservers. */
  public List<DaemonRecord> sailfishDaemons() {
    return daemons.stream().filter(daemon -> SailfishProcesses.isName(daemon.name())).toList();
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

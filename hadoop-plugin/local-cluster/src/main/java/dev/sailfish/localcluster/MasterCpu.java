package dev.sailfish.localcluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * CPU seconds of the ApplicationMasters of a cluster, looked at from outside while they run: what
 * one uses after the last look, in a tenth of a second at most, is missed. Each JVM counts by
 * itself, whatever its ApplicationMaster.
 */
public final class MasterCpu implements AutoCloseable {
  /** Hadoop's client puts this name behind the options, also of another ApplicationMaster. */
  private static final String MASTER = "org.apache.hadoop.mapreduce.v2.app.MRAppMaster";

  private static final long LOOK_MS = 100;

  private final ClusterState cluster;
  private final Map<Long, Long> ticks = new ConcurrentHashMap<>();
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "CPU of ApplicationMasters");
            thread.setDaemon(true);
            return thread;
          });

  private MasterCpu(ClusterState cluster) {
    this.cluster = cluster;
    looks.scheduleWithFixedDelay(this::look, 0, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  /** Begins to look. */
  public static MasterCpu watch(ClusterState cluster) {
    return new MasterCpu(cluster);
  }

  private void look() {
    for (DaemonRecord daemon : cluster.nodeManagers()) {
      for (ProcessStat process : ProcessStat.descendantsOf(daemon.pid())) {
        if (ticks.containsKey(process.pid()) || isMaster(process.pid())) {
          ticks.put(process.pid(), process.cpuTicks());
        }
      }
    }
  }

  /** The JVM itself, not the shells that wait for it. */
  private static boolean isMaster(long pid) {
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      return Files.readString(process.resolve("comm")).equals("java\n")
          && Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
              .contains(MASTER);
    } catch (IOException e) {
      return false; // it has ended meanwhile
    }
  }

  /** What all that were seen have used. */
  public double seconds() {
    long sum = ticks.values().stream().mapToLong(Long::longValue).sum();
    return (double) sum / ProcessStat.TICKS_PER_SECOND;
  }

  @Override
  public void close() {
    looks.shutdownNow();
  }
}

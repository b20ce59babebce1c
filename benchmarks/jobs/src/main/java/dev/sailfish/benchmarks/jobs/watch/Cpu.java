package dev.sailfish.benchmarks.jobs.watch;

import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.CpuAccounting;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.MasterCpu;
import java.util.List;

/**
 * CPU seconds of those that have to do with a job that is watched.
 *
 * @param master of ApplicationMasters
 * @param metaservers of all of them
 * @param resourceManager through whose proxy ApplicationMasters are asked
 * @param web of the web process; 0 while there is none
 */
record Cpu(double master, double metaservers, double resourceManager, double web) {
  private static final double PERCENT = 100;

  /** Until now. */
  static Cpu now(ClusterState cluster, MasterCpu masters) {
    return new Cpu(
        masters.seconds(),
        seconds(cluster.metaservers()),
        CpuAccounting.secondsOf(cluster.resourceManager()),
        seconds(cluster.web().filter(DaemonRecord::isRunning).stream().toList()));
  }

  private static double seconds(List<DaemonRecord> daemons) {
    return daemons.stream().mapToDouble(CpuAccounting::secondsOf).sum();
  }

  /** What came to it, in percent of a core. */
  Cpu percentSince(Cpu earlier, double seconds) {
    double factor = PERCENT / seconds;
    return new Cpu(
        factor * (master - earlier.master),
        factor * (metaservers - earlier.metaservers),
        factor * (resourceManager - earlier.resourceManager),
        factor * (web - earlier.web));
  }
}

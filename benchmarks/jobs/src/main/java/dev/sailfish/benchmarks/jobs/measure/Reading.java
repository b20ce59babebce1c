package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.CpuAccounting;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.DaemonStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * What one daemon, or several together, have used and counted.
 *
 * @param cpuSeconds also of containers that have ended
 * @param counts what counters of Sailfish's daemons are at; nothing for Hadoop's
 */
public record Reading(double cpuSeconds, Map<Metric, Long> counts) {
  public Reading {
    counts = Map.copyOf(counts);
  }

  /** A daemon of Hadoop since its start. */
  static Reading ofHadoop(DaemonRecord daemon) {
    return new Reading(CpuAccounting.secondsOf(daemon), Map.of());
  }

  /** A daemon of Sailfish since its start; an error when it does not answer. */
  public static Reading ofSailfish(DaemonRecord daemon, ClusterLayout layout) {
    Map<Metric, Long> counts =
        DaemonStatus.of(daemon, layout)
            .orElseThrow(() -> new CommandException(daemon.name() + " does not answer."))
            .counts();
    return new Reading(CpuAccounting.secondsOf(daemon), counts);
  }

  /** Daemons taken together. */
  static Reading sum(Collection<Reading> readings) {
    Map<Metric, Long> counts = new HashMap<>();
    readings.forEach(
        reading ->
            reading.counts().forEach((metric, value) -> counts.merge(metric, value, Long::sum)));
    return new Reading(readings.stream().mapToDouble(Reading::cpuSeconds).sum(), counts);
  }

  /** What came to it since an earlier reading of the same daemons. */
  Reading since(Reading earlier) {
    Map<Metric, Long> grown = new HashMap<>(counts);
    earlier.counts().forEach((metric, value) -> grown.merge(metric, -value, Long::sum));
    return new Reading(cpuSeconds - earlier.cpuSeconds(), grown);
  }
}

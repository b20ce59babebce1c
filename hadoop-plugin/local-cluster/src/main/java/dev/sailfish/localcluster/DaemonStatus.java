package dev.sailfish.localcluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.lineage.master.LineageMasterMetric;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.workflow.WorkflowMetric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a daemon of Sailfish tells on its page {@code /status}; the one place here that knows the
 * form of that page.
 *
 * @param counts what its counters and gauges are at, 0 for those of other daemons
 * @param warnings what is wrong around the daemon, by subject
 */
public record DaemonStatus(Map<Metric, Long> counts, Map<String, String> warnings) {
  private static final String PAGE = "/status";
  private static final List<Metric> METRICS =
      Stream.<Metric[]>of(
              MetaserverMetric.values(),
              ChunkserverMetric.values(),
              LineageMasterMetric.values(),
              LineageWorkerMetric.values(),
              WorkflowMetric.values())
          .flatMap(Stream::of)
          .toList();

  /** The page of a daemon of the cluster; empty when it shows none to this process. */
  public static Optional<DaemonStatus> of(DaemonRecord daemon, ClusterLayout layout) {
    return ask(new RestClient(daemon.web(), layout.tls()));
  }

  /** The page of the daemon whose web server this is. */
  static Optional<DaemonStatus> ask(RestClient web) {
    return web.get(PAGE).map(DaemonStatus::parse);
  }

  private static DaemonStatus parse(JsonNode page) {
    DaemonStatus status = new DaemonStatus(new HashMap<>(), new TreeMap<>());
    for (Metric metric : METRICS) {
      status.counts.put(metric, page.path("metrics").path(metric.fullName()).asLong());
    }
    for (Map.Entry<String, JsonNode> warning : page.path("warnings").properties()) {
      status.warnings.put(warning.getKey(), warning.getValue().asText());
    }
    return status;
  }

  private long count(Metric metric) {
    return counts.get(metric);
  }

  /** Whether a metaserver has answered the chunkserver. */
  boolean knowsMetaserver() {
    return count(ChunkserverMetric.HEARTBEATS) > 0;
  }

  /** Whether a lineage master has answered the lineage worker. */
  boolean knowsLineageMaster() {
    return count(LineageWorkerMetric.HEARTBEATS) > 0;
  }

  /**
   * What is wrong around the daemon, and, if it is the metaserver that leads, around the others.
   */
  public List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    warnings.forEach((subject, text) -> remarks.add("warning " + subject + ": " + text));
    boolean leads = count(MetaserverMetric.LEADS) == 1;
    if (leads && count(MetaserverMetric.BRAKE_ON) > 0) {
      String brake =
          "The brake is on: %d of %d chunkservers are silent, and most are not given up yet; its"
              + " log says what to do.";
      long silent = count(MetaserverMetric.CHUNKSERVERS_SILENT);
      remarks.add(brake.formatted(silent, count(MetaserverMetric.CHUNKSERVERS_LIVE)));
    }
    long draining = count(MetaserverMetric.CHUNKSERVERS_DRAINING);
    if (leads && draining > 0) {
      long left = count(MetaserverMetric.CHUNKS_TO_HAND_OVER);
      remarks.add("chunkservers drained: " + draining + ", chunks to hand over: " + left);
    }
    long lost = count(WorkflowMetric.FILES_LOST);
    if (lost > 0) {
      remarks.add(
          "files lost: %d, given up: %d, steps that recompute them: %d, that wait: %d"
              .formatted(
                  lost,
                  count(WorkflowMetric.FILES_GIVEN_UP),
                  count(WorkflowMetric.STEPS_RUNNING),
                  count(WorkflowMetric.STEPS_WAITING)));
    }
    return remarks;
  }
}

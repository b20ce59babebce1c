package dev.sailfish.localcluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.metaserver.MetaserverMetric;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a daemon of Sailfish tells on its page {@code /status}; the one place here that knows the
 * form of that page.
 *
 * @param counts counters and gauges by full name
 * @param warnings what is wrong around the daemon, by subject
 */
public record DaemonStatus(Map<String, Long> counts, Map<String, String> warnings) {
  private static final String PAGE = "/status";

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
    for (Map.Entry<String, JsonNode> metric : page.path("metrics").properties()) {
      status.counts.put(metric.getKey(), metric.getValue().asLong());
    }
    for (Map.Entry<String, JsonNode> warning : page.path("warnings").properties()) {
      status.warnings.put(warning.getKey(), warning.getValue().asText());
    }
    return status;
  }

  private long count(Metric metric) {
    return counts.getOrDefault(metric.fullName(), 0L);
  }

  /** Whether a metaserver has answered the chunkserver. */
  boolean knowsMetaserver() {
    return count(ChunkserverMetric.HEARTBEATS) > 0;
  }

  /** Whether this is the metaserver that leads. */
  public boolean leads() {
    return count(MetaserverMetric.LEADS) == 1;
  }

  /** Whether the metaserver does not give up silent chunkservers, because they are too many. */
  public boolean brakeIsOn() {
    return count(MetaserverMetric.BRAKE_ON) > 0;
  }

  /** Chunkservers that are silent. */
  public long silent() {
    return count(MetaserverMetric.CHUNKSERVERS_SILENT);
  }

  /** Chunkservers that are not given up. */
  public long live() {
    return count(MetaserverMetric.CHUNKSERVERS_LIVE);
  }

  /** Chunkservers that are drained. */
  public long draining() {
    return count(MetaserverMetric.CHUNKSERVERS_DRAINING);
  }

  /** Chunks that those still have to hand over. */
  public long chunksToHandOver() {
    return count(MetaserverMetric.CHUNKS_TO_HAND_OVER);
  }
}

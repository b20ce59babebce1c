package dev.sailfish.localcluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chunkserver.ChunkserverMetric;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a daemon of Sailfish tells on its page {@code /status}; the one place here that knows the
 * names of what daemons show.
 *
 * @param counts numbers by name: counters and how it is now
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
    for (Map.Entry<String, JsonNode> field : page.properties()) {
      if (field.getValue().isIntegralNumber()) {
        status.counts.put(field.getKey(), field.getValue().asLong());
      } else if (field.getKey().startsWith("warning ")) {
        status.warnings.put(field.getKey(), field.getValue().asText());
      }
    }
    return status;
  }

  private long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /** Whether a metaserver has answered the chunkserver. */
  boolean knowsMetaserver() {
    return count(ChunkserverMetric.HEARTBEATS.fullName()) > 0;
  }

  /** Whether this is the metaserver that leads. */
  public boolean leads() {
    return count("metaserver_leads") == 1;
  }

  /** Whether the metaserver does not give up silent chunkservers, because they are too many. */
  public boolean brakeIsOn() {
    return count("metaserver_brake_on") > 0;
  }

  /** Chunkservers that are silent. */
  public long silent() {
    return count("metaserver_chunkservers_silent");
  }

  /** Chunkservers that are not given up. */
  public long live() {
    return count("metaserver_chunkservers_live");
  }

  /** Chunkservers that are drained. */
  public long draining() {
    return count("metaserver_chunkservers_draining");
  }

  /** Chunks that those still have to hand over. */
  public long chunksToHandOver() {
    return count("metaserver_chunks_to_hand_over");
  }
}

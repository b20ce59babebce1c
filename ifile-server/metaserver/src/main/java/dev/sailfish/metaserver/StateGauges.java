package dev.sailfish.metaserver;

import dev.sailfish.protocol.ChunkState;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What there is in the core now, for people and monitoring. */
final class StateGauges {
  private StateGauges() {}

  /** Numbers by label; a new map. */
  static Map<String, Long> of(
      Jobs jobs,
      AdmittedJobs admitted,
      ChunkserverRegistry registry,
      Drains drains,
      ManifestLimits limits) {
    Map<String, Long> gauges = new LinkedHashMap<>();
    gauges.put("metaserver_jobs", (long) jobs.all().size());
    gauges.put("metaserver_jobs_admitted", (long) admitted.all().size());
    gauges.put("metaserver_chunkservers_draining", (long) registry.draining().size());
    gauges.put("metaserver_chunks_to_hand_over", drains.chunksLeft());
    long live = registry.live().size();
    gauges.put("metaserver_chunkservers_live", live);
    gauges.put("metaserver_chunkservers_dead", registry.all().size() - live);
    long[] byState = new long[ChunkState.values().length];
    long manifests = 0;
    long bound = 0;
    for (Job job : jobs.all()) {
      job.chunks().forEach(chunk -> byState[chunk.state().ordinal()]++);
      manifests += job.manifests().size();
      bound += job.bindingCount();
    }
    for (ChunkState state : ChunkState.values()) {
      gauges.put(
          "metaserver_chunks_" + state.name().toLowerCase(Locale.ROOT), byState[state.ordinal()]);
    }
    gauges.put("metaserver_manifests_held", manifests);
    gauges.put("metaserver_manifest_bytes", jobs.manifestBytes());
    gauges.put("metaserver_manifest_bytes_limit", limits.allBytes());
    gauges.put("metaserver_appenders_bound", bound);
    return gauges;
  }
}

package dev.sailfish.metaserver;

import dev.sailfish.protocol.ChunkState;
import java.util.EnumMap;
import java.util.Map;

/** What there is in the core now, for people and monitoring. */
final class StateGauges {
  private StateGauges() {}

  /** A new map. */
  static Map<MetaserverMetric, Long> of(
      Jobs jobs,
      AdmittedJobs admitted,
      ChunkserverRegistry registry,
      Drains drains,
      ManifestLimits limits) {
    Map<MetaserverMetric, Long> gauges = new EnumMap<>(MetaserverMetric.class);
    gauges.put(MetaserverMetric.JOBS, (long) jobs.all().size());
    gauges.put(MetaserverMetric.JOBS_ADMITTED, (long) admitted.all().size());
    gauges.put(MetaserverMetric.CHUNKSERVERS_DRAINING, (long) registry.draining().size());
    gauges.put(MetaserverMetric.CHUNKS_TO_HAND_OVER, drains.chunksLeft());
    long live = registry.live().size();
    gauges.put(MetaserverMetric.CHUNKSERVERS_LIVE, live);
    gauges.put(MetaserverMetric.CHUNKSERVERS_DEAD, registry.all().size() - live);
    long[] byState = new long[ChunkState.values().length];
    long manifests = 0;
    long bound = 0;
    for (Job job : jobs.all()) {
      job.chunks().forEach(chunk -> byState[chunk.state().ordinal()]++);
      manifests += job.manifests().size();
      bound += job.bindingCount();
    }
    gauges.put(MetaserverMetric.CHUNKS_OPEN, byState[ChunkState.OPEN.ordinal()]);
    gauges.put(MetaserverMetric.CHUNKS_STABLE, byState[ChunkState.STABLE.ordinal()]);
    gauges.put(MetaserverMetric.CHUNKS_SORTED, byState[ChunkState.SORTED.ordinal()]);
    gauges.put(MetaserverMetric.CHUNKS_LOST, byState[ChunkState.LOST.ordinal()]);
    gauges.put(MetaserverMetric.MANIFESTS_HELD, manifests);
    gauges.put(MetaserverMetric.MANIFEST_BYTES, jobs.manifestBytes());
    gauges.put(MetaserverMetric.MANIFEST_LIMIT_BYTES, limits.allBytes());
    gauges.put(MetaserverMetric.APPENDERS_BOUND, bound);
    return gauges;
  }
}

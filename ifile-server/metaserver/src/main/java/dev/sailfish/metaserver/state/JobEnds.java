package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.ChunkState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends jobs, and keeps them for a time if they asked for that. Part of the core.
 *
 * <pre>
 *   lives ──── ends, and asked for no keeping ──────────────────────────▶ gone
 *     └─────── ends ───▶ kept ─── time, somebody, or room that is short ────▶ gone
 * </pre>
 *
 * <p>What is kept of a job is its chunks, manifests, winners and key, as they were. Nothing can be
 * added, and neither a lease nor an application counts for it any more.
 */
final class JobEnds {
  private static final Logger LOG = LoggerFactory.getLogger(JobEnds.class);

  /** Room is short on a chunkserver of which less than this part is free, or less than a chunk. */
  private static final int SHORT_PART = 16;

  private final Jobs jobs;
  private final AdmittedJobs admitted;
  private final ChunkserverDesk desk;
  private final Drains drains;
  private final ChunkserverRegistry registry;
  private final Metrics<MetaserverMetric> metrics;

  // What only a leader knows: until when chunkservers have had no time to tell what room there is.
  private long roomKnownMs;

  JobEnds(
      Jobs jobs,
      AdmittedJobs admitted,
      ChunkserverDesk desk,
      Drains drains,
      ChunkserverRegistry registry,
      Metrics<MetaserverMetric> metrics) {
    this.jobs = jobs;
    this.admitted = admitted;
    this.desk = desk;
    this.drains = drains;
    this.registry = registry;
    this.metrics = metrics;
  }

  /**
   * A job has ended: it is kept, if it asked for that and the leader lets, or has its chunks
   * deleted.
   *
   * @param mostMs how long the leader lets
   * @param why counts it
   * @param reason for the log
   * @return false when it does not live
   */
  boolean end(String name, long mostMs, MetaserverMetric why, String reason, long nowMs) {
    Job job = jobs.find(name);
    if (job == null || job.isKept()) {
      return false;
    }
    metrics.increment(why);
    long keepMs = Math.min(job.spec().keepMs(), mostMs);
    if (keepMs > 0) {
      keep(job, keepMs, reason, nowMs);
    } else {
      delete(job, reason, nowMs);
    }
    return true;
  }

  /**
   * What is kept of a job goes.
   *
   * @return false when nothing is kept of it
   */
  boolean drop(String name, MetaserverMetric why, String reason, long nowMs) {
    Job job = jobs.find(name);
    if (job == null || !job.isKept()) {
      return false;
    }
    metrics.increment(why);
    delete(job, reason, nowMs);
    return true;
  }

  private void keep(Job job, long keepMs, String reason, long nowMs) {
    LOG.info(
        "keeping job={} for {} ms chunks={} manifests={}: {}",
        job.name(),
        keepMs,
        job.chunks().size(),
        job.manifests().size(),
        reason);
    for (ChunkInfo chunk : job.chunks()) {
      chunk.closeToBindings("job ends");
      if (chunk.state() == ChunkState.OPEN) {
        chunk.server().completeJob(job.name());
      }
    }
    job.keep(nowMs, nowMs + keepMs);
  }

  private void delete(Job job, String reason, long nowMs) {
    LOG.info(
        "deleting job={} chunks={} manifests={}: {}",
        job.name(),
        job.chunks().size(),
        job.manifests().size(),
        reason);
    for (ChunkInfo chunk : job.chunks()) {
      chunk.closeToBindings("job ends");
      drains.forget(chunk);
      chunk.server().chunks().remove(chunk.id());
    }
    // Also those that should have nothing of it: a copy may be on its way to them, small chunks
    // come along with others that are copied, and they may keep the job's key.
    registry.live().forEach(server -> server.deleteJob(job.name()));
    jobs.remove(job, nowMs);
    admitted.end(job.name(), nowMs);
    registry.forgetDead();
  }

  /** The entries that end what is due: jobs that nobody names, and what is kept. */
  List<JournalEntry.Builder> due(Lead lead, long nowMs) {
    List<JournalEntry.Builder> entries = new ArrayList<>();
    for (Job job : jobs.expired(nowMs)) {
      String reason = "nobody named it in " + (nowMs - job.renewedMs()) + " ms";
      entries.add(EntryApplier.end(job.name(), EndJob.Cause.LEASE, reason));
    }
    List<Job> kept = jobs.kept();
    for (Job job : kept) {
      if (nowMs >= job.kept().getUntilMs()) {
        String reason = "it was kept for " + (nowMs - job.kept().getSinceMs()) + " ms";
        entries.add(EntryApplier.end(job.name(), EndJob.Cause.KEPT_TIME, reason));
      }
    }
    if (entries.isEmpty() && !kept.isEmpty() && nowMs >= roomKnownMs) {
      makeRoom(lead, kept, nowMs, entries);
    }
    return entries;
  }

  /** Of each chunkserver that has little room the job goes that ended first. */
  private void makeRoom(Lead lead, List<Job> kept, long nowMs, List<JournalEntry.Builder> entries) {
    Map<String, String> gone = new TreeMap<>();
    for (ServerInfo server : registry.live()) {
      long least = Math.max(lead.getChunkBytes(), server.capacityBytes() / SHORT_PART);
      if (server.isMet() && server.heardFreeBytes() < least) {
        kept.stream()
            .filter(job -> job.chunks().stream().anyMatch(chunk -> chunk.server() == server))
            .findFirst()
            .ifPresent(
                job ->
                    gone.putIfAbsent(
                        job.name(), server + " has free=" + server.heardFreeBytes() + " bytes"));
      }
    }
    gone.forEach(
        (job, reason) -> entries.add(EntryApplier.end(job, EndJob.Cause.KEPT_ROOM, reason)));
    if (!gone.isEmpty()) {
      roomKnownMs = nowMs + desk.heartbeatMs();
    }
  }
}

package dev.sailfish.metaserver;

import dev.sailfish.ground.server.metrics.Metric;

/** What a metaserver counts since its start, and what there is now. */
public enum MetaserverMetric implements Metric {
  JOBS_CREATED(Kind.COUNTER, "Jobs whose I-files were created"),
  JOBS_DELETED(Kind.COUNTER, "Jobs ended because a client asked"),
  LEASES_EXPIRED(Kind.COUNTER, "Jobs ended because nobody named them for a whole lease"),
  APPLICATIONS_ENDED(Kind.COUNTER, "Jobs ended because their application has ended"),
  KEPT_EXPIRED(Kind.COUNTER, "Ended jobs that were kept for as long as they asked"),
  KEPT_DROPPED(Kind.COUNTER, "Ended jobs that were kept until somebody dropped them"),
  KEPT_FOR_ROOM(Kind.COUNTER, "Ended jobs that were kept until room was short"),
  QUOTA_REFUSALS(Kind.COUNTER, "Requests refused because a user was over a quota"),
  BINDINGS(Kind.COUNTER, "Bindings given to appenders"),
  CHUNKS_OPENED(Kind.COUNTER, "Chunks opened"),
  CHUNK_LOSSES(Kind.COUNTER, "Chunks that became LOST"),
  CHUNKS_UNREADABLE(Kind.COUNTER, "Chunks that a reducer could not read"),
  PARTITIONS_HELD(Kind.COUNTER, "Partitions not to be appended again: an earlier attempt has"),
  MANIFESTS(Kind.COUNTER, "Manifests stored, repetitions not counted"),
  ATTEMPTS_ABORTED(Kind.COUNTER, "Attempts that gave their bindings back without a manifest"),
  PLANS(Kind.COUNTER, "Plans given to reducers"),
  REGISTRATIONS(Kind.COUNTER, "Registrations of chunkservers, repetitions counted"),
  HEARTBEATS(Kind.COUNTER, "Heartbeats of chunkservers"),
  CHUNKSERVERS_DIED(Kind.COUNTER, "Chunkservers that were silent for too long"),
  JOBS(Kind.GAUGE, "Jobs that live; goes back to 0 when the cluster is idle"),
  JOBS_KEPT(Kind.GAUGE, "Jobs that have ended and whose I-files are kept"),
  JOBS_ADMITTED(Kind.GAUGE, "Jobs that were admitted, with I-files or not yet"),
  CHUNKS_OPEN(Kind.GAUGE, "Chunks of living and kept jobs that take appends"),
  CHUNKS_STABLE(Kind.GAUGE, "Chunks of living and kept jobs that are to be sorted"),
  CHUNKS_SORTED(Kind.GAUGE, "Chunks of living and kept jobs that can be read"),
  CHUNKS_LOST(Kind.GAUGE, "Chunks of living and kept jobs that are lost"),
  MANIFESTS_HELD(Kind.GAUGE, "Manifests of living and kept jobs"),
  MANIFEST_BYTES(Kind.GAUGE, "Memory outside the heap that manifests take"),
  MANIFEST_LIMIT_BYTES(Kind.GAUGE, "Memory outside the heap that manifests may take"),
  APPENDERS_BOUND(Kind.GAUGE, "Appenders that are bound to chunks"),
  CHUNKSERVERS_LIVE(Kind.GAUGE, "Chunkservers that are registered and not given up"),
  CHUNKSERVERS_DEAD(Kind.GAUGE, "Chunkservers that were given up and are still known"),
  CHUNKSERVERS_SILENT(Kind.GAUGE, "Live chunkservers silent for too long, as the leader sees it"),
  CHUNKSERVERS_MISNAMED(Kind.GAUGE, "Chunkservers whose name leads elsewhere or nowhere"),
  CHUNKSERVERS_DRAINING(Kind.GAUGE, "Chunkservers that are being drained"),
  CHUNKS_TO_HAND_OVER(Kind.GAUGE, "Chunks that drained chunkservers still have"),
  BRAKE_ON(Kind.GAUGE, "1 while half of the chunkservers are silent and therefore not given up"),
  LEADS(Kind.GAUGE, "1 where the metaserver leads; over all of them the sum is 1"),
  WARNINGS(Kind.GAUGE, "Things that are wrong around this metaserver now: see /status");

  private final Declaration declaration;

  MetaserverMetric(Kind kind, String help) {
    declaration = Declaration.of("metaserver", name(), kind, help);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}

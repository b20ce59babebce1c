package dev.sailfish.metaserver;

import dev.sailfish.transport.metrics.Metrics;
import java.util.Locale;

/** What a metaserver counts since its start. */
public enum MetaserverMetric implements Metrics.Id {
  /** Jobs whose I-files were created. */
  JOBS_CREATED,
  /** Jobs deleted because a client asked. */
  JOBS_DELETED,
  /** Jobs deleted because nobody named them for the length of the lease. */
  LEASES_EXPIRED,
  /** Jobs deleted because the ResourceManager said that their application has ended. */
  APPLICATIONS_ENDED,
  /** Requests refused because a user was over a quota. */
  QUOTA_REFUSALS,
  /** Bindings given to appenders. */
  BINDINGS,
  /** Chunks opened. */
  CHUNKS_OPENED,
  /** Chunks that became LOST. */
  CHUNKS_LOST,
  /** Chunks that a reducer could not read. */
  CHUNKS_UNREADABLE,
  /** Partitions that attempts were told not to append again, because an earlier one has. */
  PARTITIONS_HELD,
  /** Manifests stored, repetitions not counted. */
  MANIFESTS,
  /** Attempts that gave their bindings back without a manifest. */
  ATTEMPTS_ABORTED,
  /** Plans given to reducers. */
  PLANS,
  /** Registrations of chunkservers, repetitions counted. */
  REGISTRATIONS,
  /** Heartbeats of chunkservers. */
  HEARTBEATS,
  /** Chunkservers that were silent for too long. */
  CHUNKSERVERS_DIED;

  @Override
  public String fullName() {
    return "metaserver_" + name().toLowerCase(Locale.ROOT);
  }
}

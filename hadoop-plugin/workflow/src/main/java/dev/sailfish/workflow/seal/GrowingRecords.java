package dev.sailfish.workflow.seal;

import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ListDependenciesResponse;
import java.io.IOException;
import java.util.Optional;

/** Lineage records, as far as sealing needs them. Each method waits for the master's answer. */
public interface GrowingRecords {
  /** Some records, in the order of their ids, from the one after {@code id}. */
  ListDependenciesResponse after(long id) throws IOException;

  /** A record as it is now; empty: there is none of this id any more. */
  Optional<DependencyRecord> record(long id) throws IOException;

  /** The record has all its outputs. */
  void seal(long id) throws IOException;
}

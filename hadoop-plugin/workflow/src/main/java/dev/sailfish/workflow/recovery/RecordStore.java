package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.LostFile;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The lineage store, as far as recovery needs it. Each method asks the leading master and waits for
 * its answer; an IOException says that there was none, or that it refused.
 */
public interface RecordStore {
  /** Outputs that are lost, those too that are being written again, in the order of their ids. */
  List<LostFile> lost() throws IOException;

  /** A record as it is now; empty: there is none of this id any more. */
  Optional<DependencyRecord> record(long id) throws IOException;

  /** The record of how a file is made; empty: it is not recorded. */
  Optional<DependencyRecord> maker(long fid) throws IOException;

  /** Whether a file that no record makes can be read: all its blocks are with workers, or below. */
  boolean isThere(long fid) throws IOException;

  /** Says how far a recompute is, for who waits for its files. */
  void report(long dependency, String progress) throws IOException;

  /**
   * Gives a lost file up.
   *
   * @param cause a sentence for who reads it; empty: it is to be tried again
   */
  void giveUp(long fid, String cause) throws IOException;
}

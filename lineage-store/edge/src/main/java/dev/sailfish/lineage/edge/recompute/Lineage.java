package dev.sailfish.lineage.edge.recompute;

import java.util.Optional;

/** What is known of files when a plan is made. Nothing changes while it is made. */
public interface Lineage {
  /**
   * Whether a file's content can be read: some worker has it, or the under store. A deleted file's
   * cannot, until it has been made again.
   */
  boolean isAvailable(long fid);

  /** The dependency that makes a file; empty: there is none, or it was given up. */
  Optional<Dependency> maker(long fid);
}

package dev.sailfish.lineage.understore;

import java.util.Optional;

/**
 * Where a copy goes.
 *
 * @param path below the mount's root
 * @param fid of the file that it is a copy of; is in the temporary name
 * @param replaces the file that may be there and is replaced; empty: there must be none. Any other
 *     file that is there stays, and the copy is refused
 */
public record CopyTarget(UnderPath path, long fid, Optional<UnderFile> replaces) {

  /** A copy where there is no file yet. */
  public CopyTarget(UnderPath path, long fid) {
    this(path, fid, Optional.empty());
  }
}

package dev.sailfish.blockstore;

import java.util.List;

/**
 * What {@link BlockStore#open} found in the directories. All segments named here are registered,
 * their bytes are accounted as used, and the caller deletes those it does not want.
 *
 * @param sealed segments whose file holds at least the sealed length (checksums are not read: see
 *     {@link Segment#verify()})
 * @param unsealed segments that were being written when their store died; {@link Segment#length()}
 *     is the file's length, a whole number of growth steps, so the caller finds the valid prefix
 *     itself
 * @param damaged one error per sealed segment that is shorter than its seal says
 */
public record RecoveryReport(
    List<Segment> sealed, List<Segment> unsealed, List<DamagedSegmentException> damaged) {
  public RecoveryReport {
    sealed = List.copyOf(sealed);
    unsealed = List.copyOf(unsealed);
    damaged = List.copyOf(damaged);
  }
}

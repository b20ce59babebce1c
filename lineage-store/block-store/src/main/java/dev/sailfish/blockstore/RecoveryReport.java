package dev.sailfish.blockstore;

import java.util.Collection;
import java.util.List;

/**
 * What {@link BlockStore#open} found of one owner. All segments named here are registered, their
 * bytes are accounted as used, and the owner deletes those it does not want.
 *
 * @param sealed segments whose file holds at least the sealed length (checksums are not read: see
 *     {@link Segment#verify()})
 * @param unsealed segments that were being written when their store died; {@link Segment#length()}
 *     is the file's length, a whole number of growth steps, so the owner finds the valid prefix
 *     itself
 * @param damaged sealed segments that are shorter than their seal says, see {@link Segment#damage}
 */
public record RecoveryReport(List<Segment> sealed, List<Segment> unsealed, List<Segment> damaged) {
  static RecoveryReport of(Collection<Segment> found) {
    return new RecoveryReport(
        in(SegmentState.SEALED, found),
        in(SegmentState.OPEN, found),
        in(SegmentState.DAMAGED, found));
  }

  private static List<Segment> in(SegmentState state, Collection<Segment> found) {
    return found.stream().filter(segment -> segment.state() == state).toList();
  }
}

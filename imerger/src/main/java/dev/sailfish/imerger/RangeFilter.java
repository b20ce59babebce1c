package dev.sailfish.imerger;

import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.GroupOrder;
import dev.sailfish.format.KeyOrder;

/** Decides, for one read of a range, which blocks are read and which of their records count. */
final class RangeFilter {
  private final KeyRange range;
  private final GroupOrder groups;

  RangeFilter(KeyRange range, KeyOrder order) {
    this.range = range;
    groups = new GroupOrder(order, range.grouping());
  }

  /** Which blocks of a run are read. */
  RunBlocks blocks(ChunkTail index, int run) {
    return RunBlocks.of(index, run, range, groups);
  }

  /** Whether a key of a block that is not inner is in the range. */
  boolean holds(byte[] buffer, int offset, int length) {
    return range.holds(groups, buffer, offset, length);
  }
}

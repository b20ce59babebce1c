package dev.sailfish.blockstore;

import java.util.Set;

/** The states of a {@link Segment}, and which may follow which. */
enum SegmentState {
  /** Being written. */
  OPEN(true),
  /** Its length is fixed. */
  SEALED(true),
  /** Sealed, and being copied to another tier. */
  MOVING(true),
  /** Found at recovery with less content than was sealed. */
  DAMAGED(true),
  /** The segment is in another tier; this is its former place, for those who still read there. */
  MOVED(false),
  /** Deleted; those who still read do so. */
  DELETED(false),
  /** Its store is closed, and the file stays for the next one. */
  LEFT(false);

  /** Whether new references may be taken. */
  final boolean live;

  SegmentState(boolean live) {
    this.live = live;
  }

  Set<SegmentState> next() {
    return switch (this) {
      case OPEN -> Set.of(SEALED, DELETED, LEFT);
      case SEALED -> Set.of(MOVING, DELETED, LEFT);
      case MOVING -> Set.of(SEALED, MOVED, DELETED);
      case DAMAGED -> Set.of(DELETED);
      case MOVED, DELETED, LEFT -> Set.of();
    };
  }
}

package dev.sailfish.blockstore;

/** A segment was used after its last reference was released: its memory may hold other data. */
public final class SegmentDeletedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  SegmentDeletedException(String message) {
    super(message);
  }
}

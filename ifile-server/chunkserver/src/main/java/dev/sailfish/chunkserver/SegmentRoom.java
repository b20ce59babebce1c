package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.StoreUsage;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.protocol.Status;
import dev.sailfish.transport.RequestRefusedException;

/** Finds room in memory or else on disk. */
final class SegmentRoom {
  private SegmentRoom() {}

  /**
   * A new segment of which {@code length} bytes are ensured.
   *
   * @throws RequestRefusedException NO_SPACE when neither tier has that much
   */
  static Segment allocate(BlockStore store, String name, long capacity, long length)
      throws RequestRefusedException {
    try {
      Segment segment = ensured(store.allocate(name, capacity, Tier.MEMORY), length);
      if (segment == null) {
        segment = ensured(store.allocate(name, capacity, Tier.DISK), length);
      }
      if (segment != null) {
        return segment;
      }
    } catch (NoSpaceException e) {
      throw new RequestRefusedException(Status.NO_SPACE, e.getMessage());
    }
    StoreUsage usage = store.usage();
    throw new RequestRefusedException(
        Status.NO_SPACE,
        "no space for segment name="
            + name
            + " length="
            + length
            + " memory free="
            + usage.freeBytes(Tier.MEMORY)
            + " disk free="
            + usage.freeBytes(Tier.DISK));
  }

  /**
   * A new segment of which {@code length} bytes are ensured, and which will probably grow to {@code
   * expected} bytes: it is in memory when all of them have room there, which is claimed, or when
   * there is no room on disk.
   *
   * @throws RequestRefusedException NO_SPACE when neither tier has {@code length} bytes
   */
  static Segment allocate(BlockStore store, String name, long capacity, long length, long expected)
      throws RequestRefusedException {
    Segment segment = expected <= length ? null : claimed(store, name, capacity, length, expected);
    return segment != null ? segment : allocate(store, name, capacity, length);
  }

  private static Segment claimed(
      BlockStore store, String name, long capacity, long length, long expected) {
    try {
      Segment segment = store.allocate(name, capacity, Tier.MEMORY);
      if (segment.tier() == Tier.MEMORY && !segment.claim(expected)) {
        segment.delete();
        segment = store.allocate(name, capacity, Tier.DISK);
      }
      return ensured(segment, length);
    } catch (NoSpaceException e) {
      return null; // The caller asks for less, and says so when there is not even that.
    }
  }

  private static Segment ensured(Segment segment, long length) {
    if (segment.ensure(length)) {
      return segment;
    }
    segment.delete();
    return null;
  }
}

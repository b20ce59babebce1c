package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;

/** Finds room in memory or else on disk. */
public final class SegmentRoom {
  private SegmentRoom() {}

  /**
   * A new segment of which {@code length} bytes are ensured.
   *
   * @throws RequestRefusedException NO_SPACE when no tier has that much
   */
  public static Segment allocate(Owner store, String name, long capacity, long length)
      throws RequestRefusedException {
    try {
      return store.allocate(name, capacity, length, Tier.MEMORY);
    } catch (NoSpaceException e) {
      throw new RequestRefusedException(Status.NO_SPACE, e.getMessage());
    }
  }

  /**
   * A new segment of which {@code length} bytes are ensured, and which will probably grow to {@code
   * expected} bytes: it is in memory when all of them have room there, which is claimed, or when
   * there is no room on disk.
   *
   * @throws RequestRefusedException NO_SPACE when no tier has {@code length} bytes
   */
  public static Segment allocate(
      Owner store, String name, long capacity, long length, long expected)
      throws RequestRefusedException {
    Segment segment = allocate(store, name, capacity, length);
    if (segment.tier() != Tier.MEMORY || expected <= length || segment.claim(expected)) {
      return segment;
    }
    segment.delete();
    try {
      return store.allocate(name, capacity, length, Tier.SSD);
    } catch (NoSpaceException e) {
      return allocate(store, name, capacity, length);
    }
  }
}

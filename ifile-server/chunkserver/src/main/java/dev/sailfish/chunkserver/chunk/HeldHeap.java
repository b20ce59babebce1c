package dev.sailfish.chunkserver.chunk;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much heap the {@link HeldBlocks} of all chunks of a server may take together. A limit in
 * bytes of chunks does not bound it, because what is kept of a block may be longer than the block.
 * Thread-safe.
 */
public final class HeldHeap {
  private final long mostEntries;
  private final AtomicLong entries = new AtomicLong();

  /**
   * @param bytes that they may take
   */
  public HeldHeap(long bytes) {
    this.mostEntries = bytes / HeldBlocks.ENTRY_BYTES;
  }

  /** A chunk keeps so many more entries; fewer when it is negative. */
  void add(int more) {
    if (more != 0) {
      entries.addAndGet(more);
    }
  }

  /**
   * Before a chunk takes another block.
   *
   * @throws RequestRefusedException NO_SPACE when there are too many
   */
  void requireRoom() throws RequestRefusedException {
    if (entries.get() >= mostEntries) {
      throw new RequestRefusedException(
          Status.NO_SPACE,
          ("this server's heap has no room for what is kept of more blocks: kept=%s limit=%s;"
                  + " larger blocks help, or a larger heap (-Xmx)")
              .formatted(entries, mostEntries));
    }
  }
}

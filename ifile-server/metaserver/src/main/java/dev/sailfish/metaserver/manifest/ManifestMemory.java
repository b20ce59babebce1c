package dev.sailfish.metaserver.manifest;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Memory for the manifests of all jobs, outside of the heap, so that no collection has to look at
 * it. It is taken from the system in regions and handed to jobs in slabs; what an ended job gives
 * back is for the next one, and stays with the process. Not thread-safe.
 */
public final class ManifestMemory {
  /** Of one slab: what the smallest job with a manifest takes. */
  public static final int SLAB_BYTES = 64 << 10;

  private static final int SLABS_PER_REGION = 16;

  /**
   * What a manifest takes in the heap: an object and its places in two maps. It counts, so that
   * manifests of nothing have a limit too.
   */
  public static final int BYTES_PER_MANIFEST = 256;

  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private final Deque<ByteBuffer> held = new ArrayDeque<>();
  private boolean isHeld;
  private long bytes;

  /** A slab with room for {@link #SLAB_BYTES}; belongs to the caller until it is given back. */
  ByteBuffer take() {
    if (free.isEmpty()) {
      ByteBuffer region = ByteBuffer.allocateDirect(SLABS_PER_REGION * SLAB_BYTES);
      for (int i = 0; i < SLABS_PER_REGION; i++) {
        free.add(region.slice(i * SLAB_BYTES, SLAB_BYTES));
      }
    }
    bytes += SLAB_BYTES;
    return free.remove();
  }

  /** Takes back what was taken; nobody may use it any more, but a snapshot while this is held. */
  void giveBack(List<ByteBuffer> slabs) {
    bytes -= (long) slabs.size() * SLAB_BYTES;
    (isHeld ? held : free).addAll(slabs);
  }

  /** What is given back stays as it is until {@link #letGo}. */
  public void hold() {
    isHeld = true;
  }

  /** What was given back is for others. */
  public void letGo() {
    isHeld = false;
    free.addAll(held);
    held.clear();
  }

  /** There are so many manifests more; negative: less. */
  void count(int manifests) {
    bytes += (long) manifests * BYTES_PER_MANIFEST;
  }

  /** What all manifests take. */
  public long bytes() {
    return bytes;
  }
}

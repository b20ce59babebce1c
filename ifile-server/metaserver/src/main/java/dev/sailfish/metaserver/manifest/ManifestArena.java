package dev.sailfish.metaserver.manifest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of one job's manifests, one after the other in slabs. Nothing in it changes or is freed
 * before the job ends. Not thread-safe.
 */
public final class ManifestArena {
  private static final int SHIFT = Integer.numberOfTrailingZeros(ManifestMemory.SLAB_BYTES);
  private static final int MASK = ManifestMemory.SLAB_BYTES - 1;

  private final ManifestMemory memory;
  private final List<ByteBuffer> slabs = new ArrayList<>();
  private long used;
  private int manifests;

  /**
   * @param memory gives the slabs, and gets them back when the job ends
   */
  public ManifestArena(ManifestMemory memory) {
    this.memory = memory;
  }

  /** Copies the bytes of a manifest in, and returns where they begin. */
  long append(byte[] bytes) {
    long start = used;
    for (int done = 0; done < bytes.length; ) {
      int room = ManifestMemory.SLAB_BYTES - (int) (used & MASK);
      if (room == ManifestMemory.SLAB_BYTES) {
        slabs.add(memory.take());
      }
      int length = Math.min(room, bytes.length - done);
      slabs.get((int) (used >>> SHIFT)).put((int) (used & MASK), bytes, done, length);
      used += length;
      done += length;
    }
    manifests++;
    memory.count(1);
    return start;
  }

  /** The byte at this place. */
  byte get(long place) {
    return slabs.get((int) (place >>> SHIFT)).get((int) (place & MASK));
  }

  /** Copies bytes out. */
  byte[] copy(long start, int length) {
    byte[] bytes = new byte[length];
    for (int done = 0; done < length; ) {
      long place = start + done;
      int some = Math.min(length - done, ManifestMemory.SLAB_BYTES - (int) (place & MASK));
      slabs.get((int) (place >>> SHIFT)).get((int) (place & MASK), bytes, done, some);
      done += some;
    }
    return bytes;
  }

  /** What the job's manifests take. */
  public long bytes() {
    return bytesWith(0) - ManifestMemory.BYTES_PER_MANIFEST;
  }

  /** What the job's manifests would take with one more of this length. */
  public long bytesWith(int length) {
    long taken = (used + length + MASK) >>> SHIFT;
    return (taken << SHIFT) + (manifests + 1L) * ManifestMemory.BYTES_PER_MANIFEST;
  }

  /** The job ends: nothing of it is read any more, but by a snapshot that is being written. */
  public void release() {
    memory.giveBack(slabs);
    memory.count(-manifests);
  }
}

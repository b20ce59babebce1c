package dev.sailfish.lineage.master.namespace;

/**
 * Where a block of a file can be read.
 *
 * @param block which one it is, from 0
 * @param places {@link Place}s of workers that live, the fastest first
 */
public record BlockCopies(int block, int[] places) {
  /** Whether a worker is among them. */
  public boolean isWith(int worker) {
    for (int place : places) {
      if (Place.worker(place) == worker) {
        return true;
      }
    }
    return false;
  }
}

package dev.sailfish.blockstore;

/** A level of the store, fast ones first; which there are the configuration says. */
public enum Tier {
  /** Files on a memory file system; their pages stay warm in a pool after a delete. */
  MEMORY,
  /** Files on solid-state disks. */
  SSD,
  /** Files on hard disks, or on disks of which nothing is said. */
  DISK;

  /** Whether this one comes after the other. */
  boolean isBelow(Tier other) {
    return compareTo(other) > 0;
  }
}

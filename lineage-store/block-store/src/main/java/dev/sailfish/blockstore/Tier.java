package dev.sailfish.blockstore;

/** Where the bytes of a {@link Segment} live. */
public enum Tier {
  /** A file on a memory file system; its pages stay warm in a pool after a delete. */
  MEMORY,
  /** A file in one of the disk directories; never pooled. */
  DISK
}

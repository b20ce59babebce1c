package dev.sailfish.blockstore;

/** What {@link Segment#seal(long, SealMode)} records for later verification. */
public enum SealMode {
  /** Only the length: for content that carries checksums of its own, as chunk blocks do. */
  LENGTH_ONLY,
  /** The length and a CRC32C of all content, which costs one pass over the bytes. */
  WITH_CHECKSUM
}

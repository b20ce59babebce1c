package dev.sailfish.lineage.qfs.read;

/**
 * A part of a file. Immutable.
 *
 * @param position of its first byte, from 0 on
 * @param length in bytes
 */
public record Range(long position, int length) {
  /** Checks. */
  public Range {
    if (position < 0 || length < 0) {
      throw new IllegalArgumentException("position=%s length=%s".formatted(position, length));
    }
  }
}

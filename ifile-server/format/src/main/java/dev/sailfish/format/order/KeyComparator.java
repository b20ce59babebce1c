package dev.sailfish.format.order;

/** Compares two serialized keys: the job's sort comparator, seen from the engine. */
@FunctionalInterface
public interface KeyComparator {
  /**
   * Compares two keys. Called on the thread that appends or merges; may throw what the job's
   * comparator throws.
   *
   * @return below, equal to or above zero
   */
  int compare(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength);
}

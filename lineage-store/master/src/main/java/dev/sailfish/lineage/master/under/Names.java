package dev.sailfish.lineage.master.under;

import java.util.Arrays;

/** Names that were seen, 8 bytes for each: two of a million are the same one time in 30 million. */
final class Names {
  private long[] hashes = new long[64];
  private int size;
  private boolean sorted;

  void add(String name) {
    if (size == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * size);
    }
    hashes[size++] = hash(name);
    sorted = false;
  }

  /** Whether it was added; also, very seldom, when it was not. */
  boolean contains(String name) {
    if (!sorted) {
      Arrays.sort(hashes, 0, size);
      sorted = true;
    }
    return Arrays.binarySearch(hashes, 0, size, hash(name)) >= 0;
  }

  /** FNV-1a, mixed. */
  private static long hash(String name) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
    }
    hash ^= hash >>> 32;
    return hash * 0x9e3779b97f4a7c15L;
  }
}

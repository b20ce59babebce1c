package dev.sailfish.lineage.client.block;

import dev.sailfish.lineage.protocol.wire.ShareBlockResponse;

/** What is behind the file of a block, which says how it is best read. */
enum Backing {
  /** A disk, which can fail who touches a mapping: bytes come through the channel. */
  DISK,
  /** Memory in pages of 4 KiB: a mapping pays where a spare processor has touched it. */
  MEMORY,
  /** Memory in huge pages: a mapping always pays, and nobody has to touch it ahead. */
  HUGE_PAGES;

  /** As a worker says of its block. */
  static Backing of(ShareBlockResponse shared) {
    if (!shared.getInMemory()) {
      return DISK;
    }
    return shared.getHugePages() ? HUGE_PAGES : MEMORY;
  }
}

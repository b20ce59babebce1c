package dev.sailfish.lineage.worker;

import dev.sailfish.ground.server.metrics.Metric;

/** What a worker counts since its start, and what there is now. */
public enum LineageWorkerMetric implements Metric {
  /** The master knows it. */
  REGISTERED(Kind.GAUGE, "1 while the master knows the worker"),
  /** Sealed blocks. */
  BLOCKS(Kind.GAUGE, "Blocks that are complete"),
  /** Open blocks. */
  BLOCKS_WRITING(Kind.GAUGE, "Blocks that are being written"),
  /** Used memory. */
  MEMORY_USED_BYTES(Kind.GAUGE, "Used bytes of the memory tier"),
  /** Its limit. */
  MEMORY_CAPACITY_BYTES(Kind.GAUGE, "Capacity of the memory tier"),
  /** Used disks. */
  DISK_USED_BYTES(Kind.GAUGE, "Used bytes of the tiers on disks"),
  /** Their limit. */
  DISK_CAPACITY_BYTES(Kind.GAUGE, "Capacity of the tiers on disks"),
  /** Kept in memory. */
  PINNED_BYTES(Kind.GAUGE, "Bytes of blocks in memory that are pinned, and stay"),
  /** Not kept. */
  UNPINNED_BYTES(Kind.GAUGE, "Bytes of blocks in memory that are pinned, without room for it"),
  /** Conditions that an operator should look at. */
  WARNINGS(Kind.GAUGE, "Standing warnings"),
  /** Sealed. */
  BLOCKS_SEALED(Kind.COUNTER, "Blocks that were completed"),
  /** Their bytes. */
  SEALED_BYTES(Kind.COUNTER, "Bytes of blocks that were completed"),
  /** Given to readers on this host. */
  BLOCKS_SHARED(Kind.COUNTER, "Blocks that readers on this host were let map"),
  /** Read over the network. */
  READ_BYTES(Kind.COUNTER, "Bytes of blocks read over the network"),
  /** Found damaged. */
  BLOCKS_DAMAGED(Kind.COUNTER, "Blocks that were not what was written, and are gone"),
  /** Loaded. */
  BLOCKS_LOADED(Kind.COUNTER, "Blocks that were loaded from below"),
  /** Their bytes. */
  LOADED_BYTES(Kind.COUNTER, "Bytes of blocks that were loaded from below"),
  /** Read from below without keeping them. */
  BELOW_READ_BYTES(Kind.COUNTER, "Bytes that were read from below and not kept"),
  /** Copied. */
  FILES_COPIED(Kind.COUNTER, "Files that were copied below"),
  /** Their bytes. */
  COPIED_BYTES(Kind.COUNTER, "Bytes of files that were copied below"),
  /** Copies that came to nothing. */
  COPIES_FAILED(Kind.COUNTER, "Copies below that failed or were given up"),
  /** Copies that are being made. */
  COPIES_WRITING(Kind.GAUGE, "Copies below that are being written for clients"),
  /** Deleted for room. */
  BLOCKS_DROPPED(Kind.COUNTER, "Blocks of files that are below, deleted for room"),
  /** Blocks that others have, too. */
  SPARE_BYTES(Kind.GAUGE, "Bytes in memory of blocks that other workers are known to have, too"),
  /** Of these. */
  SPARES_DROPPED(Kind.COUNTER, "Blocks that other workers have, too, deleted for room"),
  /** Copied for readers. */
  LOCAL_COPIES(Kind.COUNTER, "Blocks of other workers that readers on this host have left here"),
  /** Their bytes. */
  LOCAL_COPY_BYTES(Kind.COUNTER, "Bytes of blocks that readers on this host have left here"),
  /** Of users. */
  TOKENS_REFUSED(Kind.COUNTER, "Requests of users that had no good block token"),
  /** Heartbeats. */
  HEARTBEATS(Kind.COUNTER, "Heartbeats that a master has answered"),
  /** Failed ones. */
  HEARTBEAT_FAILURES(Kind.COUNTER, "Times that no master was to be had");

  private final Declaration declaration;

  LineageWorkerMetric(Kind kind, String help) {
    declaration = Declaration.of(LineageWorker.NAME.replace('-', '_'), name(), kind, help);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}

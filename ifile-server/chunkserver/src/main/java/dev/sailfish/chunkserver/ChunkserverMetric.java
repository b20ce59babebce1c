package dev.sailfish.chunkserver;

import dev.sailfish.transport.metrics.Metrics;
import java.util.Locale;

/**
 * Everything a chunkserver counts, as SERVER_STATUS and the web pages show it. Totals count since
 * the start; the others tell how it is now.
 */
public enum ChunkserverMetric implements Metrics.Id {
  /** Blocks that were acknowledged because they are held, duplicates not among them. */
  APPENDS(true),
  /** Bytes of those blocks, with their headers, as they are stored. */
  APPENDED_BYTES(true),
  /** Blocks that were acknowledged because the chunk held them before. */
  DUPLICATES(true),
  /** Appends answered with an error, a full chunk among them. */
  REFUSED_APPENDS(true),
  /** Blocks whose checksum did not fit when they arrived. */
  CORRUPT_APPENDS(true),
  /** Appends whose connection broke before the block was complete. */
  BROKEN_APPENDS(true),
  /** Chunks that were sorted or indexed. */
  SORTS(true),
  /** Time that sorter threads spent on them, in nanoseconds. */
  SORT_NANOS(true),
  /** Bytes before compression of the chunks that were sorted. */
  SORTED_RAW_BYTES(true),
  /** Records of the chunks that were sorted. */
  SORTED_RECORDS(true),
  /** Sorts that wrote over their chunk because no tier had room for a copy. */
  IN_PLACE_SORTS(true),
  /** Sorts that were put off because there was no room for that either. */
  DELAYED_SORTS(true),
  /** Good replies to READ. */
  READS(true),
  /** Bytes of chunks in those replies. */
  READ_BYTES(true),
  /**
   * Sequential passes over a chunk: appending to it, reading it for the chunksorter, writing what
   * that sorted, and each read that does not begin where the one before it ended. The paper's
   * measure of what a disk would have to seek (Sailfish, "Disk Seek Analysis").
   */
  SEEKS(true),
  /** Chunks that take no more because a block did not fit in. */
  FULL_CHUNKS(true),
  /** Bytes before compression in those chunks. */
  FULL_CHUNK_RAW_BYTES(true),
  /** Chunks that were lost because their bytes were damaged or their sort failed. */
  LOSSES(true),
  /** Chunks copied from servers that were drained. */
  COPIED_CHUNKS(true),
  /** Jobs that the metaserver had deleted here. */
  DELETED_JOBS(true),
  /** Heartbeats that the metaserver answered. */
  HEARTBEATS(true),
  /** Times that the metaserver could not be reached or refused. */
  HEARTBEAT_FAILURES(true),
  /** Times that this server and the metaserver did not prove to each other who they are. */
  AUTHENTICATION_FAILURES(true),
  /** Bytes of blocks that are arriving now, reserved in their chunks. */
  ARRIVING_BYTES(false),
  /** Chunks that take appends. */
  CHUNKS_OPEN(false),
  /** Chunks that wait for the chunksorter or are being sorted. */
  CHUNKS_STABLE(false),
  /** Chunks that can be read. */
  CHUNKS_SORTED(false),
  /** Chunks that are lost. */
  CHUNKS_LOST(false),
  /** AWAIT_SORTED requests that wait. */
  WAITING_READERS(false),
  /** Sorts that wait for a thread, for room or for a key. */
  QUEUED_SORTS(false),
  /** Bytes of the chunks that wait for a thread. */
  QUEUED_SORT_BYTES(false),
  /** Sorts that wait for a thread and that readers wait for: they come first. */
  AWAITED_SORTS(false),
  /** Sorts that wait for room or for a key. */
  PUT_OFF_SORTS(false),
  /** Bytes of the memory tier that segments use, or have claimed to grow into. */
  MEMORY_USED_BYTES(false),
  /** Bytes of the memory tier that wait, warm, for new segments. */
  MEMORY_POOLED_BYTES(false),
  /** Bytes of the memory tier in all. */
  MEMORY_CAPACITY_BYTES(false),
  /** Bytes of the disk tier that segments use. */
  DISK_USED_BYTES(false),
  /** Bytes of the disk tier in all. */
  DISK_CAPACITY_BYTES(false),
  /** Things that are wrong around this server now; the log and the status page say which. */
  WARNINGS(false);

  private final boolean total;

  ChunkserverMetric(boolean total) {
    this.total = total;
  }

  @Override
  public String fullName() {
    return "chunkserver_" + name().toLowerCase(Locale.ROOT);
  }

  /** Whether it only ever grows; otherwise it tells how it is now. */
  public boolean isTotal() {
    return total;
  }
}

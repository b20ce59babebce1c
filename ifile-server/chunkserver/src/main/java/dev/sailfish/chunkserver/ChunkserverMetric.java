package dev.sailfish.chunkserver;

import dev.sailfish.ground.server.metrics.Metric;

/** What a chunkserver counts since its start, and what there is now. */
public enum ChunkserverMetric implements Metric {
  APPENDS(Kind.COUNTER, "Blocks acknowledged because they are held, duplicates excluded"),
  APPENDED_BYTES(Kind.COUNTER, "Stored bytes of the blocks of appends, with their headers"),
  DUPLICATES(Kind.COUNTER, "Blocks acknowledged because the chunk held them before"),
  REFUSED_APPENDS(Kind.COUNTER, "Appends answered with an error, a full chunk among them"),
  CORRUPT_APPENDS(Kind.COUNTER, "Blocks whose checksum did not fit when they arrived"),
  BROKEN_APPENDS(Kind.COUNTER, "Appends whose connection broke before the block was complete"),
  SORT_SECONDS(Kind.HISTOGRAM, "Time of a sorter thread per chunk that was sorted or indexed"),
  SORTED_RAW_BYTES(Kind.COUNTER, "Bytes before compression of the chunks that were sorted"),
  SORTED_RECORDS(Kind.COUNTER, "Records of the chunks that were sorted"),
  COMBINED_CHUNKS(Kind.COUNTER, "Small chunks that were sorted with others of their I-file as one"),
  IN_PLACE_SORTS(Kind.COUNTER, "Sorts that wrote over their chunk: no tier had room for a copy"),
  DELAYED_SORTS(Kind.COUNTER, "Sorts put off because there was no room, not even in place"),
  READS(Kind.COUNTER, "Good replies to READ"),
  READ_BYTES(Kind.COUNTER, "Bytes of chunks in replies to READ"),
  SEEKS(Kind.COUNTER, "Passes over a chunk: 1 for appending, 2 for sorting, 1 per read that jumps"),
  FULL_CHUNKS(Kind.COUNTER, "Chunks that take no more because a block did not fit"),
  FULL_CHUNK_RAW_BYTES(Kind.COUNTER, "Bytes before compression in the chunks that take no more"),
  LOSSES(Kind.COUNTER, "Chunks lost because their bytes were damaged or their sort failed"),
  COPIED_CHUNKS(Kind.COUNTER, "Chunks copied from servers that were drained"),
  DELETED_JOBS(Kind.COUNTER, "Jobs that the metaserver had deleted here"),
  HEARTBEATS(Kind.COUNTER, "Heartbeats that the metaserver answered"),
  HEARTBEAT_FAILURES(Kind.COUNTER, "Times that the metaserver could not be reached or refused"),
  AUTHENTICATION_FAILURES(Kind.COUNTER, "Handshakes with a metaserver that one side refused"),
  ARRIVING_BYTES(Kind.GAUGE, "Bytes of blocks that are arriving now, reserved in their chunks"),
  CHUNKS_OPEN(Kind.GAUGE, "Chunks that take appends"),
  CHUNKS_STABLE(Kind.GAUGE, "Chunks that wait for the chunksorter or are being sorted"),
  CHUNKS_SORTED(Kind.GAUGE, "Chunks that can be read"),
  CHUNKS_LOST(Kind.GAUGE, "Chunks that are lost"),
  WAITING_READERS(Kind.GAUGE, "AWAIT_SORTED requests that wait"),
  QUEUED_SORTS(Kind.GAUGE, "Sorts that wait for a thread, for room or for a key"),
  QUEUED_SORT_BYTES(Kind.GAUGE, "Bytes of the chunks that wait for a thread"),
  AWAITED_SORTS(Kind.GAUGE, "Sorts that wait for a thread and that readers wait for"),
  PUT_OFF_SORTS(Kind.GAUGE, "Sorts that wait for room or for a key"),
  MEMORY_USED_BYTES(Kind.GAUGE, "Memory tier: what segments use, or have claimed to grow into"),
  MEMORY_POOLED_BYTES(Kind.GAUGE, "Memory tier: what waits, warm, for new segments"),
  MEMORY_CAPACITY_BYTES(Kind.GAUGE, "Memory tier: what there is in all"),
  DISK_USED_BYTES(Kind.GAUGE, "Disk tier: what segments use"),
  DISK_CAPACITY_BYTES(Kind.GAUGE, "Disk tier: what there is in all"),
  WARNINGS(Kind.GAUGE, "Things that are wrong around this server now: see /status");

  private final Declaration declaration;

  ChunkserverMetric(Kind kind, String help) {
    declaration = Declaration.of("chunkserver", name(), kind, help);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}

package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.transport.RequestRefusedException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * What every append says about its chunk. The first one makes the chunk, the others must agree.
 *
 * @param job id of the job; its characters are those of a file name
 * @param id id that the metaserver gave
 * @param partition partition of the job
 * @param ordering who knows the key order
 * @param codec codec of the sorted blocks
 * @param chunkBytes capacity in bytes before compression
 */
record ChunkSpec(
    String job, long id, int partition, Ordering ordering, CodecId codec, long chunkBytes) {
  /** The largest capacity that an append may ask for, in bytes. */
  static final long MAX_CHUNK_BYTES = 1L << 30;

  private static final long HEADER_ROOM = 64 << 10;
  private static final int MAX_JOB_IN_NAME = 80;
  private static final AtomicLong SEGMENTS = new AtomicLong();
  private static final Pattern JOB =
      Pattern.compile("[A-Za-z0-9._-]{1," + ChunkHeader.MAX_JOB_LENGTH + "}");

  /** Reads and checks the parameters of an append. */
  static ChunkSpec of(AppendRequest request) throws RequestRefusedException {
    requireJob(request.getJob());
    if (request.getPartition() < 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "partition=" + request.getPartition() + " is negative");
    }
    if (request.getChunkBytes() < 1 || request.getChunkBytes() > MAX_CHUNK_BYTES) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "chunk_bytes="
              + Long.toUnsignedString(request.getChunkBytes())
              + " must be in [1, "
              + MAX_CHUNK_BYTES
              + "]");
    }
    try {
      return new ChunkSpec(
          request.getJob(),
          request.getChunk(),
          request.getPartition(),
          Ordering.ofCode(request.getOrdering()),
          CodecId.ofCode(request.getCodec()),
          request.getChunkBytes());
    } catch (UnsupportedFormatException e) {
      throw new RequestRefusedException(Status.BAD_REQUEST, e.getMessage());
    }
  }

  /** Whether a job may have this name. */
  static boolean isJob(String job) {
    return JOB.matcher(job).matches();
  }

  private static void requireJob(String job) throws RequestRefusedException {
    if (!isJob(job)) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "job=" + job + " must match " + JOB.pattern() + ": it names files on the chunkserver");
    }
  }

  /**
   * A name for a segment of this chunk that no other one has or had in this process: a deleted
   * chunk may come again while readers or a sorter still hold its old segments.
   */
  String newSegmentName() {
    String shortJob = job.substring(0, Math.min(job.length(), MAX_JOB_IN_NAME));
    return shortJob + "-" + Long.toHexString(id) + "-" + SEGMENTS.incrementAndGet();
  }

  /**
   * Capacity of a segment that must take {@code needed} bytes. Mostly the same figure for all
   * chunks of a job, appended and sorted, so that their segments are reused for each other: the
   * chunk's raw bytes, an eighth more for block headers and codecs that gain nothing, and some
   * room.
   */
  long segmentCapacity(long needed) {
    long usual = ChunkHeader.LENGTH + chunkBytes + chunkBytes / 8 + HEADER_ROOM;
    return Math.min(Math.max(usual, needed), Segment.MAX_CAPACITY);
  }

  /** For log lines and messages. */
  String label() {
    return "job=" + job + " partition=" + partition + " chunk=" + Long.toHexString(id);
  }
}

package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.format.Varint;
import dev.sailfish.format.tail.ChunkTailWriter;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.AppendRequest;
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
 * @param encrypted whether all its blocks are encrypted
 */
public record ChunkSpec(
    String job,
    long id,
    int partition,
    Ordering ordering,
    CodecId codec,
    long chunkBytes,
    boolean encrypted) {
  /** The largest capacity that an append may ask for, in bytes. */
  static final long MAX_CHUNK_BYTES = 1L << 30;

  /**
   * The most blocks of a chunk. What is kept of a block in memory, here and by all who sort or read
   * the chunk, may be longer than the block; a chunk of usual blocks has room for far fewer.
   */
  public static final int MAX_BLOCKS = 65_536;

  /**
   * The most room for a chunk's sort, as a multiple of its bytes: how much there is to sort only
   * its blocks' headers say. A chunk of records of 12 bytes needs so much when they are compressed
   * to a hundredth.
   */
  private static final int MAX_ROOM = 16;

  private static final long HEADER_ROOM = 64 << 10;
  private static final Pattern JOB =
      Pattern.compile("[A-Za-z0-9._~-]{1," + ChunkHeader.MAX_JOB_LENGTH + "}");

  /** Reads and checks the parameters of an append. */
  public static ChunkSpec of(AppendRequest request) throws RequestRefusedException {
    if (!isJob(request.getJob())) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "job=%s must match %s: it names files on the chunkserver"
              .formatted(request.getJob(), JOB.pattern()));
    }
    if (request.getPartition() < 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "partition=" + request.getPartition() + " is negative");
    }
    if (request.getChunkBytes() < 1 || request.getChunkBytes() > MAX_CHUNK_BYTES) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "chunk_bytes=%s must be in [1, %s]"
              .formatted(Long.toUnsignedString(request.getChunkBytes()), MAX_CHUNK_BYTES));
    }
    try {
      return new ChunkSpec(
          request.getJob(),
          request.getChunk(),
          request.getPartition(),
          Ordering.ofCode(request.getOrdering()),
          CodecId.ofCode(request.getCodec()),
          request.getChunkBytes(),
          request.getEncrypted());
    } catch (UnsupportedFormatException e) {
      throw new RequestRefusedException(Status.BAD_REQUEST, e.getMessage());
    }
  }

  /**
   * Of a chunk that an earlier process left behind.
   *
   * @param rawBytes that are in it: it takes no more
   */
  public static ChunkSpec of(ChunkHeader header, long rawBytes) {
    return new ChunkSpec(
        header.job(),
        header.chunkId(),
        header.partition(),
        header.ordering(),
        header.codec(),
        rawBytes,
        header.encrypted());
  }

  /** What the chunk's bytes begin with. */
  public ChunkHeader header() {
    return new ChunkHeader(job, partition, id, ordering, codec, encrypted);
  }

  /**
   * Whether a block may be appended: it is one of the chunk's, and has records, but no more than a
   * sorter has memory for.
   */
  public boolean takes(BlockHeader block) {
    return header().takes(block)
        && block.records() > 0
        && (ordering == Ordering.COMPARATOR || block.records() <= ChunkSorter.MAX_BLOCK_RECORDS);
  }

  /** Whether a job may have this name. */
  public static boolean isJob(String job) {
    return JOB.matcher(job).matches();
  }

  /** Whether records of that chunk are sorted as those of this one are, by servers. */
  public boolean sortsWith(ChunkSpec other) {
    return ordering == Ordering.NORMALIZED && header().withChunkId(other.id).equals(other.header());
  }

  /** Whether the chunk can only be sorted with its job's key; one that is indexed needs none. */
  public boolean needsKey() {
    return encrypted && ordering == Ordering.NORMALIZED;
  }

  /**
   * What the chunk may grow by when it is sorted or indexed in place, in bytes: it is taken with
   * every block, since a tier that is full of unsorted chunks has no room for anything else.
   *
   * <p>An index grows by no more. A sorted chunk has a tag with every record, and an index of its
   * blocks; it may grow by more when keys in the index are far longer than the records are on
   * average, when sorted blocks are configured small, or when a codec makes less of them than it
   * made of the appended ones, or when the room is cut to some times the bytes that were appended.
   * Then it is sorted when there is room elsewhere.
   *
   * @param blocks that are in the chunk
   * @param records in them
   * @param rawBytes of them, before compression
   * @param end where they end
   */
  public long sortRoom(int blocks, long records, long rawBytes, long end) {
    return Math.min(MAX_ROOM * end, claimedRoom(blocks, records, rawBytes, end));
  }

  private long claimedRoom(int blocks, long records, long rawBytes, long end) {
    if (ordering == Ordering.COMPARATOR) {
      return ChunkTailWriter.maxIndexLength(blocks, rawBytes, encrypted);
    }
    long sortedBlocks = rawBytes / (SorterConfig.MAX_SORTED_BLOCK_BYTES / 2) + 1;
    int header = BlockHeader.LENGTH + (encrypted ? BlockHeader.ENCRYPTION_OVERHEAD : 0);
    int recordLength =
        (int) Math.min(rawBytes / Math.max(records, 1), RunDescriptor.MAX_KEY_LENGTH);
    long room =
        records * Varint.length(blocks - 1)
            + (sortedBlocks + 1) * header
            + ChunkTailWriter.maxLength(blocks, sortedBlocks, recordLength);
    return Math.min(room, segmentCapacity(end) - end);
  }

  /**
   * Capacity of a segment that must take {@code needed} bytes. Mostly the same figure for all
   * chunks of a job, appended and sorted, so that their segments are reused for each other: the
   * chunk's raw bytes, an eighth more for block headers and codecs that gain nothing, and some
   * room.
   */
  public long segmentCapacity(long needed) {
    long usual = ChunkHeader.LENGTH + chunkBytes + chunkBytes / 8 + HEADER_ROOM;
    return Math.min(Math.max(usual, needed), Segment.MAX_CAPACITY);
  }

  /** For log lines and messages. */
  public String label() {
    return "job=" + job + " partition=" + partition + " chunk=" + Long.toHexString(id);
  }
}

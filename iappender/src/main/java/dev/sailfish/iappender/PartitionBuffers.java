package dev.sailfish.iappender;

/**
 * The buffers of all partitions, and how the memory of an iappender is shared out.
 *
 * <pre>
 *   1/2  partition buffers
 *   1/4  unacknowledged blocks (window; at most 8 MiB by default)
 *   1/8  arrays kept for reuse
 *   1/8  what one block needs while it is sorted and compressed
 * </pre>
 *
 * <p>Rooms grow from a few KiB to the size of a block by doubling. They follow from the
 * configuration and the records only, so that blocks do; how long the array behind one is does not,
 * and counts beyond the room as kept for reuse.
 */
final class PartitionBuffers {
  private static final int SMALLEST_BLOCK = 16 << 10;
  private static final int LARGEST_SORTED_BLOCK = 8 << 20;
  private static final int LARGEST_PLAIN_BLOCK = 256 << 10;
  private static final int SMALLEST_BUFFER = 256;
  private static final int LARGEST_FIRST_BUFFER = 4 << 10;

  /** The arrays kept for reuse. */
  final BufferPool pool;

  private final PartitionBuffer[] buffers;
  private final boolean sorts;
  private final long capacity;
  private final int smallestBlock;
  private final int largestBlock;
  private final int firstBuffer;
  private int active;

  /** The largest room of a partition at present. */
  int limit;

  private long held;

  /**
   * @param sorts whether blocks are sorted here: then larger ones are better, the memory is shared
   *     out among the partitions that really have data, and each record costs more than its bytes
   */
  PartitionBuffers(IappenderConfig config, int partitions, boolean sorts) {
    this.sorts = sorts;
    buffers = new PartitionBuffer[partitions];
    long memory = config.memoryBytes();
    capacity = memory / 2;
    pool = BufferPool.acquire(memory / 8);
    long most = Math.max(SMALLEST_BLOCK, memory / 8);
    long wanted = sorts ? LARGEST_SORTED_BLOCK : LARGEST_PLAIN_BLOCK;
    if (config.blockBytes() != 0) {
      wanted = config.blockBytes();
    } else if (!sorts) {
      wanted = Math.min(wanted, Math.max(SMALLEST_BLOCK, capacity / partitions));
    }
    largestBlock = BufferPool.roundDown((int) Math.min(wanted, most));
    smallestBlock = Math.min(SMALLEST_BLOCK, largestBlock);
    long even = capacity / partitions / 2;
    int first = (int) Math.max(SMALLEST_BUFFER, Math.min(LARGEST_FIRST_BUFFER, even));
    firstBuffer = Integer.highestOneBit(Math.min(first, largestBlock));
    limit = largestRoom();
  }

  /** The largest room of a partition while {@link #active} partitions have data. */
  private int largestRoom() {
    if (!sorts) {
      return largestBlock;
    }
    long even = Math.max(smallestBlock, Math.min(largestBlock, capacity / Math.max(1, active)));
    return BufferPool.roundDown((int) even);
  }

  /** How many partitions there are. */
  int count() {
    return buffers.length;
  }

  /** The partition's buffer, or null when it never had a record. */
  PartitionBuffer existing(int partition) {
    return buffers[partition];
  }

  /** The first buffer of the partition. */
  PartitionBuffer activate(int partition) {
    PartitionBuffer buffer = new PartitionBuffer(partition);
    buffers[partition] = buffer;
    active++;
    limit = largestRoom();
    return buffer;
  }

  /** Whether the records in the buffer are enough for a block. */
  boolean full(PartitionBuffer buffer) {
    return cost(buffer) > limit;
  }

  /** Whether less than half of what makes a block is in the buffer. */
  boolean belowHalf(PartitionBuffer buffer) {
    return 2 * cost(buffer) < limit;
  }

  private long cost(PartitionBuffer buffer) {
    return buffer.end + (sorts ? (long) BlockSorter.COST_PER_RECORD * buffer.records : 0);
  }

  /** Whether all rooms together are larger than they may be. */
  boolean pressed() {
    return held > capacity;
  }

  /** Whether all rooms together are larger than half of what they may be. */
  boolean aboveHalf() {
    return held > capacity / 2;
  }

  /** Length of the longest buffer's records. */
  int largest() {
    int largest = 0;
    for (PartitionBuffer buffer : buffers) {
      if (buffer != null && buffer.length() > largest) {
        largest = buffer.length();
      }
    }
    return largest;
  }

  /**
   * Gives the buffer more room.
   *
   * @param needed the least room, at most {@link #limit}
   * @param used how many bytes to keep
   */
  void grow(PartitionBuffer buffer, int needed, int used) {
    int length = Math.max(firstBuffer, 2 * buffer.room);
    boolean roomForAll = (long) active * limit <= capacity;
    if (buffer.filledBefore && roomForAll) {
      length = limit;
    }
    while (length < needed) {
      length *= 2;
    }
    int room = BufferPool.roundUp(Math.min(length, limit));
    if (buffer.bytes.length < room) {
      byte[] longer = pool.takeLonger(room, limit);
      System.arraycopy(buffer.bytes, 0, longer, 0, Math.min(used, buffer.room));
      release(buffer);
      buffer.bytes = longer;
    } else {
      pool.unlend(room - buffer.room);
    }
    held += room - buffer.room;
    buffer.room = room;
  }

  /** Takes the array away from the buffer and keeps it for others. */
  void release(PartitionBuffer buffer) {
    pool.give(detach(buffer));
  }

  /** Takes the array away from the buffer; it is the caller's from now on. */
  byte[] detach(PartitionBuffer buffer) {
    byte[] array = buffer.bytes;
    pool.unlend(array.length - buffer.room);
    held -= buffer.room;
    buffer.bytes = PartitionBuffer.NONE;
    buffer.room = 0;
    return array;
  }

  /** Replaces what is in the buffer by what is in {@code other}, which is left empty. */
  void replace(PartitionBuffer buffer, PartitionBuffer other) {
    release(buffer);
    buffer.bytes = other.bytes;
    buffer.room = other.room;
    buffer.end = other.end;
    buffer.records = other.records;
    buffer.recordBytes = other.recordBytes;
    buffer.checksum = other.checksum;
    buffer.combined = other.records;
    other.bytes = PartitionBuffer.NONE;
    other.room = 0;
    other.clear();
  }

  /**
   * Copies one record behind the others; it must fit in {@link #limit}. Its bytes and its checksum
   * are the caller's to count.
   */
  void append(PartitionBuffer buffer, byte[] bytes, int offset, int length) {
    if (buffer.room - buffer.end < length) {
      grow(buffer, buffer.end + length, buffer.end);
    }
    System.arraycopy(bytes, offset, buffer.bytes, buffer.end, length);
    buffer.end += length;
    buffer.records++;
  }
}

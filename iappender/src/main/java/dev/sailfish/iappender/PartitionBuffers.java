package dev.sailfish.iappender;

/**
 * The buffers of all partitions and the account of their memory. Arrays grow from a few KiB to the
 * size of a block by doubling; all lengths follow from the records only.
 */
final class PartitionBuffers {
  private final MemoryPlan plan;
  private final BufferPool pool;
  private final PartitionBuffer[] buffers;
  private final int recordCost;
  private int active;
  private int limit;
  private long held;

  /**
   * @param recordCost bytes that a record costs beside its own when its block is sorted
   */
  PartitionBuffers(MemoryPlan plan, BufferPool pool, int partitions, int recordCost) {
    this.plan = plan;
    this.pool = pool;
    this.buffers = new PartitionBuffer[partitions];
    this.recordCost = recordCost;
    this.limit = plan.blockBytes(0);
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
    limit = plan.blockBytes(active);
    return buffer;
  }

  /** Length of the longest array of a partition at present. */
  int limit() {
    return limit;
  }

  /** Whether the records in the buffer are enough for a block. */
  boolean full(PartitionBuffer buffer) {
    return buffer.end + (long) recordCost * buffer.records > limit;
  }

  /** Whether less than half of what makes a block is in the buffer. */
  boolean belowHalf(PartitionBuffer buffer) {
    return 2 * (buffer.end + (long) recordCost * buffer.records) < limit;
  }

  /** Whether all arrays together are larger than they may be. */
  boolean pressed() {
    return held > plan.bufferBytes();
  }

  /** Whether all arrays together are larger than half of what they may be. */
  boolean aboveHalf() {
    return held > plan.bufferBytes() / 2;
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

  /** Whether every partition with data can have its longest array. */
  boolean roomForAll() {
    return (long) active * limit <= plan.bufferBytes();
  }

  /**
   * Gives the buffer a longer array.
   *
   * @param needed the least length, at most {@link #limit}
   * @param used how many bytes of the present array to keep
   */
  void grow(PartitionBuffer buffer, int needed, int used) {
    int length = Math.max(plan.firstBuffer(), 2 * buffer.bytes.length);
    if (buffer.filledBefore && roomForAll()) {
      length = limit;
    }
    while (length < needed) {
      length *= 2;
    }
    byte[] longer = pool.take(Math.min(length, limit));
    System.arraycopy(buffer.bytes, 0, longer, 0, Math.min(used, buffer.bytes.length));
    release(buffer);
    buffer.bytes = longer;
    held += longer.length;
  }

  /** Takes the array away from the buffer and keeps it for others. */
  void release(PartitionBuffer buffer) {
    byte[] array = detach(buffer);
    pool.give(array);
  }

  /** Takes the array away from the buffer; it is the caller's from now on. */
  byte[] detach(PartitionBuffer buffer) {
    byte[] array = buffer.bytes;
    buffer.bytes = PartitionBuffer.NONE;
    held -= array.length;
    return array;
  }

  /** Replaces what is in the buffer by what is in {@code other}, which is left empty. */
  void replace(PartitionBuffer buffer, PartitionBuffer other) {
    release(buffer);
    buffer.bytes = other.bytes;
    buffer.end = other.end;
    buffer.records = other.records;
    buffer.recordBytes = other.recordBytes;
    buffer.checksum = other.checksum;
    buffer.combined = other.records;
    other.bytes = PartitionBuffer.NONE;
    other.clear();
  }

  /**
   * Copies one record behind the others; it must fit in {@link #limit}. Its bytes and its checksum
   * are the caller's to count.
   */
  void append(PartitionBuffer buffer, byte[] bytes, int offset, int length) {
    if (buffer.bytes.length - buffer.end < length) {
      grow(buffer, buffer.end + length, buffer.end);
    }
    System.arraycopy(bytes, offset, buffer.bytes, buffer.end, length);
    buffer.end += length;
    buffer.records++;
  }
}

package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.BlockTail;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A block that is being written: by its writer itself, into the file, or piece by piece over the
 * network. Methods that change it are called by one thread at a time.
 */
public final class OpenBlock {
  private final BlockId id;
  private final Segment segment;
  private final long capacity;
  private final boolean local;
  private int[] checksums = new int[8];
  private long length;

  OpenBlock(BlockId id, Segment segment, long capacity, boolean local) {
    this.id = id;
    this.segment = segment;
    this.capacity = capacity;
    this.local = local;
  }

  BlockId id() {
    return id;
  }

  Segment segment() {
    return segment;
  }

  boolean isLocal() {
    return local;
  }

  /** How many bytes it has now, of what comes over the network or from below. */
  public synchronized long length() {
    return length;
  }

  long capacity() {
    return capacity;
  }

  /**
   * Keeps the memory from being used for something else while it is written.
   *
   * @return false when the block was given up
   */
  public boolean retain() {
    return segment.tryRetain();
  }

  /** Ends a {@link #retain}. */
  public void release() {
    segment.release();
  }

  /**
   * Where the next bytes go; the caller has called {@link #retain}.
   *
   * @param offset how many bytes came before
   * @return the segment's memory, for exactly these bytes
   * @throws RequestRefusedException BAD_REQUEST when they are not the next ones, or too many;
   *     NO_SPACE when there is no room
   */
  public synchronized ByteBuffer room(long offset, int count) throws RequestRefusedException {
    boolean fits = !local && offset == length && count > 0 && count <= capacity - offset;
    if (!fits || offset % BlockTail.UNIT != 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "%s is written in order, in whole units: offset=%d bytes=%d written=%d capacity=%d"
              .formatted(id, offset, count, length, capacity));
    }
    if (!segment.ensure(offset + count)) {
      throw new RequestRefusedException(
          Status.NO_SPACE, id + " finds the file system full below what the worker may use");
    }
    return segment.buffer().slice((int) offset, count);
  }

  /**
   * The bytes for which {@link #room} was given are there.
   *
   * @param sums the checksum of each of their units, as the writer says
   * @throws RequestRefusedException CORRUPT when one is another
   */
  public synchronized void written(long offset, int count, int[] sums)
      throws RequestRefusedException {
    int[] actual = BlockTail.checksums(segment.buffer().slice((int) offset, count));
    if (!Arrays.equals(actual, sums)) {
      throw new RequestRefusedException(
          Status.CORRUPT, "%s arrived damaged: offset=%d bytes=%d".formatted(id, offset, count));
    }
    keep(offset, count, actual);
  }

  /** The same for bytes that no writer has made checksums of: these are made here. */
  public synchronized void loaded(long offset, int count) {
    keep(offset, count, BlockTail.checksums(segment.buffer().slice((int) offset, count)));
  }

  private void keep(long offset, int count, int[] actual) {
    int first = BlockTail.units(offset);
    int end = first + actual.length;
    if (end > checksums.length) {
      checksums = Arrays.copyOf(checksums, Math.max(end, 2 * checksums.length));
    }
    System.arraycopy(actual, 0, checksums, first, actual.length);
    length = offset + count;
  }

  /** The tail of what came over the network, or null when there are not so many bytes. */
  synchronized ByteBuffer tail(long wanted) {
    return wanted == length
        ? new BlockTail(id.fid(), id.block(), length, checksums).encode()
        : null;
  }
}

package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.BlockPlaces.Opened;
import dev.sailfish.lineage.client.block.BlockReader;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A file that is read: as a stream, or at any position. All bytes are checked against what was
 * written; a damaged copy is passed over for another one. Thread-safe; threads read one after the
 * other.
 */
public final class FileInput extends InputStream {
  private static final int UNIT = BlockTail.UNIT;

  /** So many bytes at once are read into an array without the window. */
  private static final int MANY = 4 * UNIT;

  /** A copy may fail while it is read as often as that before the read does. */
  private static final int ATTEMPTS = 10;

  private final BlockPlaces places;
  private final Buffers buffers;
  private final FileEntry entry;
  private long position;

  // What was read last: bytes [windowAt, windowAt + window.limit()) of the file.
  private ByteBuffer window;
  private long windowAt;
  private Opened current;

  /** Where the bytes end that were read last, in the file. */
  private long reached;

  private final KeptReaders kept = new KeptReaders();

  /** Whether it is read on from where the last read ended. */
  private boolean isStream;

  private boolean closed;

  FileInput(BlockPlaces places, Buffers buffers, FileEntry entry) {
    this.places = places;
    this.buffers = buffers;
    this.entry = entry;
  }

  /** The file's id. */
  public long fid() {
    return entry.getFid();
  }

  /** How long it is, in bytes. */
  public long length() {
    return entry.getLength();
  }

  /** Where the next byte of the stream is. */
  public synchronized long position() {
    return position;
  }

  /**
   * Goes on at another position.
   *
   * @param to from 0 to the length
   * @throws EOFException when it is none of these
   */
  public synchronized void seek(long to) throws IOException {
    requireOpen();
    if (to < 0 || to > entry.getLength()) {
      throw new EOFException(
          "%s has %d bytes: there is no position %d"
              .formatted(entry.getName(), entry.getLength(), to));
    }
    position = to;
  }

  @Override
  public synchronized int read() throws IOException {
    requireOpen();
    if (position == entry.getLength()) {
      return -1;
    }
    isStream = true;
    fill(position, 1);
    return window.get((int) (position++ - windowAt)) & 0xff;
  }

  @Override
  public synchronized int read(byte[] bytes, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, bytes.length);
    return read(ByteBuffer.wrap(bytes, offset, count));
  }

  /**
   * Reads the next bytes of the stream.
   *
   * @param into filled from its position, as far as there is room and there are bytes in a block
   * @return how many; -1 at the end
   */
  public synchronized int read(ByteBuffer into) throws IOException {
    requireOpen();
    int count = readAt(position, into, true);
    position += Math.max(0, count);
    return count;
  }

  /**
   * Reads bytes at a position, and leaves that of the stream alone.
   *
   * @param at from 0
   * @param into filled from its position, as far as there is room and there are bytes in a block
   * @return how many; -1 at the end
   */
  public synchronized int read(long at, ByteBuffer into) throws IOException {
    requireOpen();
    return readAt(at, into, false);
  }

  private int readAt(long at, ByteBuffer into, boolean goesOn) throws IOException {
    isStream = goesOn;
    if (at < 0) {
      throw new EOFException("there is no position " + at);
    }
    if (!into.hasRemaining()) {
      return 0;
    }
    if (at >= entry.getLength()) {
      return -1;
    }
    long left = leftInBlock(at);
    boolean isInWindow = isInWindow(at);
    // Straight into the caller's memory: whole units, or all that is left of the block.
    int straight = (int) Math.min(into.remaining(), left);
    if (straight < left) {
      straight -= straight % UNIT;
    }
    boolean isAligned = at % entry.getBlockSize() % UNIT == 0;
    boolean isWorthIt = straight >= (into.isDirect() ? 1 : MANY);
    if (isAligned && !isInWindow && isWorthIt) {
      int start = into.position();
      readBlock(at, into.slice(start, straight));
      into.position(start + straight);
      return straight;
    }
    fill(at, into.remaining());
    int from = (int) (at - windowAt);
    int count = Math.min(into.remaining(), window.limit() - from);
    into.put(into.position(), window, from, count);
    into.position(into.position() + count);
    return count;
  }

  private long leftInBlock(long at) {
    long inBlock = at % entry.getBlockSize();
    return places.length((int) (at / entry.getBlockSize())) - inBlock;
  }

  private boolean isInWindow(long at) {
    return window != null && at >= windowAt && at < windowAt + window.limit();
  }

  /**
   * Has the byte at a position in the window.
   *
   * @param wanted how many are of use from there; more than these in a stream
   */
  private void fill(long at, int wanted) throws IOException {
    if (isInWindow(at)) {
      return;
    }
    if (window == null) {
      window = buffers.take();
    }
    int before = (int) (at % entry.getBlockSize() % UNIT);
    long start = at - before;
    long useful =
        isStream ? window.capacity() : Math.min(window.capacity(), before + (long) wanted);
    long rounded = (useful + UNIT - 1) / UNIT * UNIT;
    int count = (int) Math.min(rounded, leftInBlock(start));
    window.clear().limit(0);
    readBlock(start, window.limit(count));
    window.position(0);
    windowAt = start;
  }

  /** The bytes from a position to the end of their block: {@link #map(long, int)}. */
  public ByteBuffer map(long at) throws IOException {
    return map(at, Integer.MAX_VALUE);
  }

  /**
   * Bytes from a position on, read-only and checked, in one block. On the host of a worker that has
   * them they are mapped, not copied; they stay as they are after this is closed. What this object
   * has given before it does not check again. A program that reads all of a file takes a piece
   * after the other, of 1 MiB or so, which are in the processor's cache when it gets them.
   *
   * @param at from 0, below the length
   * @param most above 0; fewer when the block ends before
   * @throws EOFException when there is no such byte
   */
  public synchronized ByteBuffer map(long at, int most) throws IOException {
    requireOpen();
    if (at < 0 || at >= entry.getLength()) {
      throw new EOFException("there is no byte " + at + " in " + entry.getName());
    }
    isStream = false;
    int count = (int) Math.min(most, leftInBlock(at));
    ByteBuffer mapped =
        withReader(
            (int) (at / entry.getBlockSize()),
            reader -> reader.map(at % entry.getBlockSize(), count));
    reached = at + count;
    return mapped;
  }

  /** Fills a buffer with whole units, or what is left of a block. */
  private void readBlock(long at, ByteBuffer into) throws IOException {
    int start = into.position();
    int end = into.limit();
    boolean done = false;
    try {
      withReader(
          (int) (at / entry.getBlockSize()),
          reader -> {
            into.limit(end).position(start); // wherever another reader has left it
            reader.read(at % entry.getBlockSize(), into);
            return null;
          });
      done = true;
      reached = at + end - start;
      if (isStream && at % entry.getBlockSize() == 0) {
        places.read(current);
      }
    } finally {
      if (!done && into == window) {
        window.limit(0);
      }
    }
  }

  /** Something done with a block's reader: again with another one when that fails. */
  private interface Reading<T> {
    T with(BlockReader reader) throws IOException;
  }

  private <T> T withReader(int block, Reading<T> reading) throws IOException {
    for (int attempt = 1; ; attempt++) {
      if (current == null || current.block() != block) {
        Opened again = kept.take(block);
        leaveCurrent();
        current = again;
      } else if (places.isNearer(current)) {
        closeCurrent();
      }
      if (current == null) {
        current = places.open(block);
        if (isStream) {
          places.expect(block + 1);
        }
      }
      try {
        return reading.with(current.reader());
      } catch (IOException e) {
        Opened failed = current;
        current = null;
        places.failed(failed, e);
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Another block is read: who has read this one to its end does not come back to it. */
  private void leaveCurrent() {
    boolean isReadOut = reached % entry.getBlockSize() == 0 || reached == entry.getLength();
    if (isReadOut) {
      closeCurrent();
    } else if (current != null) {
      kept.keep(current);
      current = null;
    }
  }

  private void closeCurrent() {
    if (current != null) {
      current.reader().close();
      current = null;
    }
  }

  @Override
  public synchronized int available() throws IOException {
    requireOpen();
    return (int) Math.min(Integer.MAX_VALUE, entry.getLength() - position);
  }

  @Override
  public synchronized long skip(long count) throws IOException {
    requireOpen();
    long skipped = Math.max(0, Math.min(count, entry.getLength() - position));
    position += skipped;
    return skipped;
  }

  /**
   * Gives back the buffer and the way to blocks, as long as nobody reads: the next read takes them
   * again. Of use for many files that are kept open.
   */
  public synchronized void rest() {
    closeCurrent();
    kept.clear();
    if (window != null) {
      buffers.giveBack(window);
      window = null;
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the file is closed: name=" + entry.getName());
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    rest();
  }
}

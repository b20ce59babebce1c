package dev.sailfish.lineage.qfs.read;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * An open file in order, some operations ahead of its reader: one at first, one more with each that
 * was read to its end. For one thread. Its file stays open when it is closed.
 */
public final class QfsStream extends InputStream {
  private static final int NO_BYTE = -1;

  private final QfsInput input;
  private final Deque<Ahead> ahead = new ArrayDeque<>();
  private ByteBuffer current;
  private long position;
  private long nextPosition;
  private int window = 1;
  private boolean closed;

  /** An operation on its way. */
  private record Ahead(ChunkRead read, ByteBuffer buffer) {}

  QfsStream(QfsInput input, long position) {
    this.input = input;
    seek(position);
  }

  /** Of the next byte in the file. */
  public long position() {
    return position;
  }

  /** Goes on at another position; one that was read ahead already costs nothing. */
  public void seek(long to) {
    if (to < 0) {
      throw new IllegalArgumentException("position=" + to + " of " + input.path());
    }
    long step = to - position;
    if (current != null && step >= -current.position() && step < current.remaining()) {
      current.position(current.position() + (int) step);
    } else if (step != 0 || current == null) {
      drop();
      nextPosition = to;
      window = 1;
    }
    position = to;
  }

  @Override
  public int read() throws IOException {
    return fill() ? next() : NO_BYTE;
  }

  private int next() {
    position++;
    return current.get() & 0xff;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, bytes.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return NO_BYTE;
    }
    int count = Math.min(length, current.remaining());
    current.get(bytes, from, count);
    position += count;
    return count;
  }

  /**
   * Reads what is there; the target's position moves.
   *
   * @return the number of bytes, or -1 at the file's end
   */
  public int read(ByteBuffer target) throws IOException {
    if (!target.hasRemaining()) {
      return 0;
    }
    if (!fill()) {
      return NO_BYTE;
    }
    int count = Math.min(target.remaining(), current.remaining());
    target.put(target.position(), current, current.position(), count);
    target.position(target.position() + count);
    current.position(current.position() + count);
    position += count;
    return count;
  }

  @Override
  public long skip(long count) {
    long to = Math.max(position, Math.min(input.size(), position + count));
    long skipped = to - position;
    seek(to);
    return skipped;
  }

  @Override
  public int available() {
    return current == null ? 0 : current.remaining();
  }

  /** Has at least one byte in {@link #current}; false at the file's end. */
  private boolean fill() throws IOException {
    if (closed) {
      throw new IOException("stream of " + input.path() + " is closed");
    }
    if (current != null && current.hasRemaining()) {
      return true;
    }
    if (position >= input.size()) {
      return false;
    }
    if (current != null) {
      input.buffers().give(current);
      current = null;
    }
    askAhead();
    Ahead first = ahead.peek();
    first.read().finish();
    ahead.remove();
    current = first.buffer();
    window = Math.min(window + 1, input.transfer().inFlight());
    askAhead();
    return true;
  }

  private void askAhead() throws IOException {
    while (ahead.size() < window && nextPosition < input.size()) {
      int count = input.most(nextPosition, input.transfer().operationBytes());
      ByteBuffer buffer = input.buffers().take().limit(count);
      ahead.add(new Ahead(input.start(nextPosition, buffer), buffer));
      nextPosition += count;
    }
  }

  private void drop() {
    for (Ahead one : ahead) {
      one.read().abandon();
      input.buffers().give(one.buffer());
    }
    ahead.clear();
    if (current != null) {
      input.buffers().give(current);
      current = null;
    }
  }

  /** Gives its buffers back; the file stays open. */
  @Override
  public void close() {
    closed = true;
    drop();
  }
}

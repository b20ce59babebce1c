package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.read.QfsStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * A file that is read. What goes on where the last read ended, or near there, is read ahead; behind
 * a seek further away 64 KiB are read, or what is wanted if that is more, since nobody knows
 * whether the next read goes on there. Thread-safe; threads that share a position read one after
 * the other, positioned reads go side by side.
 */
final class QfsInputStream extends FSInputStream
    implements ByteBufferReadable, ByteBufferPositionedReadable, CanUnbuffer, StreamCapabilities {
  private static final int WINDOW_BYTES = 64 << 10;

  private final QfsInput file;
  private final Path path;
  private final FileSystem.Statistics statistics;

  private long position;

  /** Where the last read ended: the next one goes on there, or is behind a seek. */
  private long end;

  private QfsStream ahead;
  private ByteBuffer window = ByteBuffer.allocate(0);
  private long windowPosition;
  private volatile boolean closed;

  /**
   * @param file closed with this stream
   * @param path for messages
   * @param statistics where the bytes are counted
   */
  QfsInputStream(QfsInput file, Path path, FileSystem.Statistics statistics) {
    this.file = file;
    this.path = path;
    this.statistics = statistics;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException(path + ": " + FSExceptionMessages.STREAM_IS_CLOSED);
    }
  }

  // ---- at the stream's position

  @Override
  public synchronized void seek(long to) throws IOException {
    requireOpen();
    if (to < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ": " + to + " in " + path);
    }
    if (to > file.size()) {
      throw new EOFException(
          FSExceptionMessages.CANNOT_SEEK_PAST_EOF
              + ": "
              + to
              + " of "
              + file.size()
              + " in "
              + path);
    }
    position = to;
  }

  @Override
  public synchronized long getPos() {
    return position;
  }

  /** All copies are tried by themselves. */
  @Override
  public boolean seekToNewSource(long to) {
    return false;
  }

  @Override
  public synchronized int read() throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    return read(one) < 0 ? -1 : one.get(0) & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int count) throws IOException {
    return read(ByteBuffer.wrap(bytes, offset, count));
  }

  @Override
  public synchronized int read(ByteBuffer into) throws IOException {
    requireOpen();
    if (!into.hasRemaining()) {
      return 0;
    }
    int count = position >= file.size() ? -1 : QfsRefusals.lookUp(path, () -> readSome(into));
    if (count > 0) {
      position += count;
      end = position;
      statistics.incrementBytesRead(count);
    }
    return count;
  }

  private int readSome(ByteBuffer into) throws IOException {
    if (windowPosition <= position && position < windowPosition + window.limit()) {
      return fromWindow(into);
    }
    if (ahead == null && position != end) {
      return into.remaining() >= WINDOW_BYTES ? file.read(position, into) : turnWindow(into);
    }
    if (ahead != null && Math.abs(position - ahead.position()) <= WINDOW_BYTES) {
      ahead.seek(position);
      return ahead.read(into);
    }
    rest();
    if (position != end) {
      return readSome(into);
    }
    ahead = file.stream(position);
    return ahead.read(into);
  }

  private int turnWindow(ByteBuffer into) throws IOException {
    if (window.capacity() == 0) {
      window = ByteBuffer.allocate(WINDOW_BYTES);
    }
    window.clear();
    try {
      file.read(position, window);
    } finally {
      window.flip();
      windowPosition = position;
    }
    return window.hasRemaining() ? fromWindow(into) : -1;
  }

  private int fromWindow(ByteBuffer into) {
    int from = Math.toIntExact(position - windowPosition);
    int count = Math.min(into.remaining(), window.limit() - from);
    into.put(window.slice(from, count));
    return count;
  }

  @Override
  public synchronized long skip(long count) throws IOException {
    requireOpen();
    long skipped = Math.max(0, Math.min(count, file.size() - position));
    position += skipped;
    return skipped;
  }

  @Override
  public synchronized int available() throws IOException {
    requireOpen();
    return (int) Math.min(Integer.MAX_VALUE, file.size() - position);
  }

  // ---- elsewhere

  @Override
  public int read(long from, byte[] bytes, int offset, int count) throws IOException {
    validatePositionedReadArgs(from, bytes, offset, count);
    return count == 0 ? 0 : read(from, ByteBuffer.wrap(bytes, offset, count));
  }

  @Override
  public int read(long from, ByteBuffer into) throws IOException {
    requireOpen();
    if (!into.hasRemaining()) {
      return 0;
    }
    int count = QfsRefusals.lookUp(path, () -> file.read(from, into));
    if (count > 0) {
      statistics.incrementBytesRead(count);
    }
    return count;
  }

  @Override
  public void readFully(long from, byte[] bytes, int offset, int count) throws IOException {
    validatePositionedReadArgs(from, bytes, offset, count);
    readFully(from, ByteBuffer.wrap(bytes, offset, count));
  }

  @Override
  public void readFully(long from, ByteBuffer into) throws IOException {
    long at = from;
    while (into.hasRemaining()) {
      int count = read(at, into);
      if (count < 0) {
        throw new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY + ": " + path);
      }
      at += count;
    }
  }

  // ---- the stream

  @Override
  public synchronized void unbuffer() {
    rest();
    window = ByteBuffer.allocate(0);
  }

  /** What is read ahead is not wanted any more. */
  private void rest() {
    if (ahead != null) {
      ahead.close();
      ahead = null;
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    return switch (capability.toLowerCase(Locale.ROOT)) {
      case StreamCapabilities.READBYTEBUFFER,
          StreamCapabilities.PREADBYTEBUFFER,
          StreamCapabilities.UNBUFFER ->
          true;
      default -> false;
    };
  }

  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      unbuffer();
      file.close();
    }
  }

  @Override
  public synchronized String toString() {
    return path + " at " + position + " of " + file.size();
  }
}

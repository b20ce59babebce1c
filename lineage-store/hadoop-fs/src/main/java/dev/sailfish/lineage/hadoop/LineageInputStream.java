package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.FileInput;
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

/** A file of the store that is read. Thread-safe; threads read one after the other. */
final class LineageInputStream extends FSInputStream
    implements ByteBufferReadable, ByteBufferPositionedReadable, CanUnbuffer, StreamCapabilities {
  private final FileInput file;
  private final Path path;
  private final FileSystem.Statistics statistics;

  /**
   * @param file closed with this stream
   * @param path for messages
   * @param statistics where the bytes are counted
   */
  LineageInputStream(FileInput file, Path path, FileSystem.Statistics statistics) {
    this.file = file;
    this.path = path;
    this.statistics = statistics;
  }

  @Override
  public void seek(long position) throws IOException {
    if (position < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ": " + position + " in " + path);
    }
    file.seek(position);
  }

  @Override
  public long getPos() {
    return file.position();
  }

  /** All copies are tried by themselves. */
  @Override
  public boolean seekToNewSource(long position) {
    return false;
  }

  @Override
  public int read() throws IOException {
    int one = Refusals.lookUp(path, file::read);
    if (one >= 0) {
      statistics.incrementBytesRead(1);
    }
    return one;
  }

  @Override
  public int read(byte[] bytes, int offset, int count) throws IOException {
    return counted(() -> file.read(bytes, offset, count));
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return counted(() -> file.read(into));
  }

  @Override
  public int read(long position, byte[] bytes, int offset, int count) throws IOException {
    validatePositionedReadArgs(position, bytes, offset, count);
    return count == 0 ? 0 : read(position, ByteBuffer.wrap(bytes, offset, count));
  }

  @Override
  public int read(long position, ByteBuffer into) throws IOException {
    return counted(() -> file.read(position, into));
  }

  @Override
  public void readFully(long position, ByteBuffer into) throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int count = read(at, into);
      if (count < 0) {
        throw new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY + ": " + path);
      }
      at += count;
    }
  }

  private int counted(Refusals.Asked<Integer> reading) throws IOException {
    int count = Refusals.lookUp(path, reading);
    if (count > 0) {
      statistics.incrementBytesRead(count);
    }
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    return file.skip(count);
  }

  @Override
  public int available() throws IOException {
    return file.available();
  }

  @Override
  public void unbuffer() {
    file.rest();
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
  public void close() {
    file.close();
  }

  @Override
  public String toString() {
    return path + " at " + file.position() + " of " + file.length();
  }
}

package dev.sailfish.benchmarks.limited;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;

/** What is read comes over a link; at most so much at once, so that others get their turns. */
final class LimitedInput extends FSInputStream {
  private static final int MOST_BYTES = 1 << 20;

  private final FSDataInputStream in;
  private final Link link;

  LimitedInput(FSDataInputStream in, Link link) {
    this.in = in;
    this.link = link;
  }

  @Override
  public void seek(long position) throws IOException {
    in.seek(position);
  }

  @Override
  public long getPos() throws IOException {
    return in.getPos();
  }

  @Override
  public boolean seekToNewSource(long position) throws IOException {
    return in.seekToNewSource(position);
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  @Override
  public int read() throws IOException {
    int value = in.read();
    link.send(value < 0 ? 0 : 1);
    return value;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = in.read(bytes, offset, Math.min(length, MOST_BYTES));
    link.send(read);
    return read;
  }

  @Override
  public int read(long position, byte[] bytes, int offset, int length) throws IOException {
    int read = in.read(position, bytes, offset, Math.min(length, MOST_BYTES));
    link.send(read);
    return read;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}

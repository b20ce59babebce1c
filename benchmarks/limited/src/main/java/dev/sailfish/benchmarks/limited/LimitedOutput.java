package dev.sailfish.benchmarks.limited;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;

/** What is written goes over a link before it is there, piece by piece. */
final class LimitedOutput extends OutputStream implements Syncable, StreamCapabilities {
  private static final int MOST_BYTES = 1 << 20;

  private final OutputStream out;
  private final Link link;

  /**
   * @param out closed with this one
   */
  LimitedOutput(OutputStream out, Link link) {
    this.out = out;
    this.link = link;
  }

  @Override
  public void write(int value) throws IOException {
    link.send(1);
    out.write(value);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int piece = Math.min(MOST_BYTES, length - done);
      link.send(piece);
      out.write(bytes, offset + done, piece);
      done += piece;
    }
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void hflush() throws IOException {
    if (out instanceof Syncable syncable) {
      syncable.hflush();
    } else {
      out.flush();
    }
  }

  @Override
  public void hsync() throws IOException {
    if (out instanceof Syncable syncable) {
      syncable.hsync();
    } else {
      out.flush();
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    return out instanceof StreamCapabilities known && known.hasCapability(capability);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}

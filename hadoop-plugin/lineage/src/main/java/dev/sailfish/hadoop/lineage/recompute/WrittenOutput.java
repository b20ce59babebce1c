package dev.sailfish.hadoop.lineage.recompute;

import dev.sailfish.ground.wire.Network;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A file that a task creates: its bytes go to the lost file that it is, or nowhere. Thread-safe as
 * the stream below is.
 */
final class WrittenOutput extends OutputStream {
  private final OutputStream body;
  private final long fid;
  private volatile long length;
  private volatile boolean closed;
  private volatile long modifiedMs = Network.SOCKETS.wallMs();

  /**
   * @param body takes the bytes, and is closed with this
   * @param fid the lost file that it is; 0: it is none
   */
  WrittenOutput(OutputStream body, long fid) {
    this.body = body;
    this.fid = fid;
  }

  @Override
  public synchronized void write(int one) throws IOException {
    body.write(one);
    length++;
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int count) throws IOException {
    body.write(bytes, offset, count);
    length += count;
  }

  @Override
  public void flush() throws IOException {
    body.flush();
  }

  /** Completes the lost file, if it is one; only the first call does something. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      body.close();
      closed = true;
      modifiedMs = Network.SOCKETS.wallMs();
    }
  }

  /** Bytes that were written. */
  long length() {
    return length;
  }

  long modifiedMs() {
    return modifiedMs;
  }

  /** The file of the store that has its bytes; 0: none, or none yet. */
  long stored() {
    return closed ? fid : 0;
  }
}

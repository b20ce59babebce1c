package dev.sailfish.hadoop.lineage.recompute;

import dev.sailfish.ground.wire.Network;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.apache.hadoop.fs.Abortable;

/**
 * A file that a task creates: its bytes go to the lost file that it is, or nowhere. Thread-safe as
 * the stream below is.
 */
final class WrittenOutput extends OutputStream {
  private final OutputStream body;
  private final long fid;
  private final long recorded;
  private volatile long length;
  private volatile boolean closed;
  private volatile long modifiedMs = Network.SOCKETS.wallMs();

  /**
   * @param body takes the bytes, and is closed with this
   * @param fid the lost file that it is; 0: it is none
   * @param recorded how many bytes that file had; of no meaning where the body cannot be given up
   */
  WrittenOutput(OutputStream body, long fid, long recorded) {
    this.body = body;
    this.fid = fid;
    this.recorded = body instanceof Abortable ? recorded : 0;
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

  /**
   * Completes the lost file, if it is one; only the first call does something. A task that fails
   * closes what it has not written to its end: that is given up without an error, which would hide
   * why the task fails.
   */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      if (isShort() && body instanceof Abortable file) {
        file.abort();
      } else {
        body.close();
      }
      closed = true;
      modifiedMs = Network.SOCKETS.wallMs();
    }
  }

  private boolean isShort() {
    return fid != 0 && length < recorded;
  }

  /** What is wrong with it, if its writer takes it as done. */
  Optional<String> problem() {
    return isShort()
        ? Optional.of(
            "was recomputed with other bytes, and stays lost: length=%d, not length=%d"
                .formatted(length, recorded))
        : Optional.empty();
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
    return closed && !isShort() ? fid : 0;
  }
}

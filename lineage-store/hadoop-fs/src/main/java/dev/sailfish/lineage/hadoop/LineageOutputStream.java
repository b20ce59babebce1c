package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.hadoop.marks.MarkedOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * A file of the store that is written. Nobody reads it before it is closed, so that this is no
 * {@code Syncable}: Hadoop makes a flush of an {@code hflush}, and a flush does nothing.
 * Thread-safe.
 */
final class LineageOutputStream extends OutputStream implements Abortable, StreamCapabilities {
  private final FileOutput file;
  private final OutputStream body;
  private final Path path;
  private boolean ended;
  private boolean isAborted;

  /**
   * @param file closed with this stream
   * @param path for messages
   * @param isRecorded whether a lineage record says how it is made, or may: it is to have the same
   *     bytes when it is made again
   */
  LineageOutputStream(FileOutput file, Path path, boolean isRecorded) {
    this.file = file;
    this.body = isRecorded ? new MarkedOutput(file, file.fid()) : file;
    this.path = path;
  }

  @Override
  public synchronized void write(int one) throws IOException {
    body.write(one);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int count) throws IOException {
    body.write(bytes, offset, count);
  }

  /** Does nothing, whether the file is closed or not. */
  @Override
  public void flush() {}

  /** Completes the file; from now on it is read, and never changes. */
  @Override
  public synchronized void close() throws IOException {
    ended = true;
    Refusals.make(
        path,
        () -> {
          (isAborted ? file : body).close();
          return null;
        });
  }

  @Override
  public synchronized AbortableResult abort() {
    boolean wasEnded = ended;
    ended = true;
    isAborted = true;
    file.abandon();
    return new Aborted(wasEnded);
  }

  /** There is nothing to clean up that could fail: what is left over the master removes. */
  private record Aborted(boolean alreadyClosed) implements AbortableResult {
    @Override
    public IOException anyCleanupException() {
      return null;
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    return capability.toLowerCase(Locale.ROOT).equals(CommonPathCapabilities.ABORTABLE_STREAM);
  }

  @Override
  public String toString() {
    return path + " at " + file.position();
  }
}

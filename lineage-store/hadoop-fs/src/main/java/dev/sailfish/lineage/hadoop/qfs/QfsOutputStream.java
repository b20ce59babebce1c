package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.write.QfsOutput;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * A file that is written. Nobody reads the chunk that is being written, and chunkservers
 * acknowledge what they have in memory, so that this is no {@code Syncable}: Hadoop makes a flush
 * of an {@code hflush}. Thread-safe.
 */
final class QfsOutputStream extends OutputStream implements StreamCapabilities {
  private final QfsOutput file;
  private final Path path;

  /**
   * @param file closed with this stream
   * @param path for messages
   */
  QfsOutputStream(QfsOutput file, Path path) {
    this.file = file;
    this.path = path;
  }

  @Override
  public synchronized void write(int one) throws IOException {
    QfsRefusals.make(
        path,
        () -> {
          file.write(one);
          return null;
        });
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int count) throws IOException {
    QfsRefusals.make(
        path,
        () -> {
          file.write(bytes, offset, count);
          return null;
        });
  }

  /** Does nothing, whether the file is closed or not: part of a chunk is not to be read. */
  @Override
  public void flush() {}

  /** Completes the file: all copies of all chunks have the bytes. */
  @Override
  public synchronized void close() throws IOException {
    QfsRefusals.make(
        path,
        () -> {
          file.close();
          return null;
        });
  }

  @Override
  public boolean hasCapability(String capability) {
    return false;
  }

  @Override
  public String toString() {
    return path + " at " + file.position();
  }
}

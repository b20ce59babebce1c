package dev.sailfish.lineage.qfs.write;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import dev.sailfish.lineage.qfs.meta.MetaClient;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.wire.Buffers;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.wire.TransferSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/**
 * A file that is being written, from its end on. Bytes are sent in the order they come, some
 * operations ahead of the servers' answers. When {@link #sync} or {@link #close} returns, all
 * servers of each chunk hold all bytes before; when one throws, the message says which bytes are
 * not known to be held, and the stream takes no more. For one thread.
 */
public final class QfsOutput extends OutputStream {
  /** Between looks whether the metaserver knows the size; they end with the stream's deadline. */
  private static final RetrySettings SIZE_LOOKS =
      new RetrySettings(Duration.ZERO, Duration.ofMillis(1), Duration.ofMillis(100));

  private final ChunkWriter.Target target;
  private final Shared shared;
  private ChunkWriter draining;
  private ChunkWriter writer;
  private ByteBuffer buffer;
  private long sent;
  private IOException failure;
  private boolean closed;
  private boolean allEnded = true;

  /** What all files of one client share. */
  public record Shared(
      MetaClient meta,
      Connections connections,
      Buffers buffers,
      TransferSettings transfer,
      RetrySettings retry) {}

  /**
   * @param file its id
   * @param size what it has already
   */
  public QfsOutput(String path, long file, long size, Shared shared) {
    this.shared = shared;
    this.target =
        new ChunkWriter.Target(
            path, file, shared.meta(), shared.connections(), shared.buffers(), shared.retry());
    this.sent = size;
  }

  /** Bytes of the file, with those that are not held yet. */
  public long position() {
    return sent + (buffer == null ? 0 : buffer.position());
  }

  @Override
  public void write(int value) throws IOException {
    room().put((byte) value);
    sendIfFull();
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, bytes.length);
    write(ByteBuffer.wrap(bytes, from, length));
  }

  /** Takes all bytes up to the limit; the position moves. They are copied. */
  public void write(ByteBuffer bytes) throws IOException {
    requireUsable();
    while (bytes.hasRemaining()) {
      ByteBuffer room = room();
      int count = Math.min(room.remaining(), bytes.remaining());
      room.put(room.position(), bytes, bytes.position(), count);
      room.position(room.position() + count);
      bytes.position(bytes.position() + count);
      sendIfFull();
    }
  }

  private ByteBuffer room() throws IOException {
    requireUsable();
    if (buffer == null) {
      int operation = shared.transfer().operationBytes();
      buffer = shared.buffers().take();
      // Ends at a multiple of an operation, and so never beyond the chunk.
      buffer.limit(operation - (int) (sent % operation));
    }
    return buffer;
  }

  private void requireUsable() throws IOException {
    if (failure != null) {
      throw new IOException(target.path() + " takes no more: " + failure.getMessage(), failure);
    }
    if (closed) {
      throw new IOException(target.path() + " is closed");
    }
  }

  private void sendIfFull() throws IOException {
    if (!buffer.hasRemaining()) {
      sendBuffer();
    }
  }

  private void sendBuffer() throws IOException {
    ByteBuffer full = buffer.flip();
    long offset = sent;
    buffer = null;
    sent += full.limit();
    try {
      int most = shared.transfer().inFlight() - 1;
      ChunkWriter to = writerAt(offset);
      if (draining != null) {
        draining.settle(Math.max(0, most - to.unanswered()));
      }
      to.settle(most);
      to.send((int) (offset % ChunkInfo.BYTES), full);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** The writer of an offset's chunk. The one before may still wait for answers. */
  private ChunkWriter writerAt(long offset) throws IOException {
    long chunkOffset = offset - offset % ChunkInfo.BYTES;
    if (writer != null && writer.chunkOffset() == chunkOffset) {
      return writer;
    }
    endDraining();
    draining = writer;
    writer = new ChunkWriter(target, chunkOffset);
    return writer;
  }

  private void endDraining() throws IOException {
    if (draining != null) {
      allEnded &= draining.close();
      draining = null;
    }
  }

  /**
   * Waits until all servers hold all that was written. They may hold it in memory. {@link #flush}
   * does nothing: streams above call it often, and a short piece of a block is dear.
   */
  public void sync() throws IOException {
    requireUsable();
    try {
      sendRest();
      endDraining();
      if (writer != null) {
        writer.settle(0);
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private void sendRest() throws IOException {
    if (buffer != null && buffer.position() > 0) {
      sendBuffer();
    }
  }

  /**
   * Waits until all servers hold all that was written, and ends each chunk.
   *
   * @throws IOException when they do not; also each further time after a failed write
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    if (failure != null) {
      abort();
      throw new IOException(target.path() + " is not whole: " + failure.getMessage(), failure);
    }
    try {
      sendRest();
      endDraining();
      if (writer != null) {
        allEnded &= writer.close();
        writer = null;
      }
      closed = true;
      awaitSize();
    } catch (IOException e) {
      failure = e;
      throw e;
    } finally {
      abort();
    }
  }

  /**
   * Waits until the metaserver knows all bytes: it hears from the chunkservers a little later, and
   * who looks before sees no size.
   */
  private void awaitSize() throws IOException {
    long endNs = shared.retry().endNs(shared.connections().clock());
    int looks = 0;
    long seen = sizeSeen();
    while (seen != sent) {
      looks++;
      if (!SIZE_LOOKS.pause(shared.connections().clock(), looks, endNs, target.path())) {
        throw new IOException(
            ("%s: chunkservers hold all %s bytes, but the metaserver does not know that yet: its"
                    + " size there is %s%s")
                .formatted(
                    target.path(),
                    sent,
                    seen == FileInfo.UNKNOWN ? "unknown" : seen,
                    allEnded ? "" : ", as a chunk's end was not taken"));
      }
      seen = sizeSeen();
    }
  }

  /** What the metaserver knows. A file that was moved or removed meanwhile is as it should be. */
  private long sizeSeen() throws IOException {
    try {
      FileInfo seen = shared.meta().stat(target.path());
      return seen.id() == target.file() ? seen.size() : sent;
    } catch (QfsException e) {
      if (e.error() == QfsError.ENOENT) {
        return sent;
      }
      throw e;
    }
  }

  /** Ends it without waiting; what is not held is lost. The file stays with what it has. */
  public void abort() {
    closed = true;
    if (draining != null) {
      draining.abort();
      draining = null;
    }
    if (writer != null) {
      writer.abort();
      writer = null;
    }
    if (buffer != null) {
      shared.buffers().give(buffer);
      buffer = null;
    }
  }
}

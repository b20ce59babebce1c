package dev.sailfish.lineage.client;

import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A file that is being written: into memory, below, or both. When {@link #close} returns, it is
 * there as a whole; until then nobody reads it, and after an error nobody ever does. For one
 * thread.
 */
public final class FileOutput extends OutputStream {
  /** So many bytes at once are written without the buffer. */
  private static final int MANY = 4 * BlockTail.UNIT;

  private final WrittenFile file;
  private final FileBody body;
  private final Buffers buffers;
  private final Runnable ended;

  /** Taken when it is needed: null before, and at the end. */
  private ByteBuffer buffer;

  private long length;
  private IOException failure;
  private boolean closed;

  /**
   * @param file tells the master
   * @param body where its bytes go; closed with this object
   * @param ended run once when it is written, or given up
   */
  FileOutput(WrittenFile file, FileBody body, Buffers buffers, Runnable ended) {
    this.file = file;
    this.body = body;
    this.buffers = buffers;
    this.ended = ended;
  }

  /** The file's id. */
  public long fid() {
    return file.entry().getFid();
  }

  /** How many bytes were written. */
  public long position() {
    return length;
  }

  @Override
  public void write(int one) throws IOException {
    requireOpen();
    if (!buffer().hasRemaining()) {
      flushBuffer(false);
    }
    buffer.put((byte) one);
    length++;
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    write(ByteBuffer.wrap(bytes, offset, count));
  }

  /** Writes bytes, from position to limit. Many at once go to the block without the buffer. */
  public void write(ByteBuffer bytes) throws IOException {
    requireOpen();
    while (bytes.hasRemaining()) {
      boolean isStraight = !isBuffered() && bytes.remaining() >= Math.min(MANY, buffers.bytes());
      int room = isStraight ? buffers.bytes() : buffer().remaining();
      int count = Math.min(bytes.remaining(), room);
      count -= isStraight ? count % BlockTail.UNIT : 0;
      ByteBuffer piece = bytes.slice(bytes.position(), count);
      if (isStraight) {
        writeBody(piece, false);
      } else {
        buffer.put(piece);
        if (!buffer.hasRemaining()) {
          flushBuffer(false);
        }
      }
      bytes.position(bytes.position() + count);
      length += count;
    }
  }

  private ByteBuffer buffer() {
    if (buffer == null) {
      buffer = buffers.take();
    }
    return buffer;
  }

  private boolean isBuffered() {
    return buffer != null && buffer.position() > 0;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the file is closed: name=" + file.entry().getName());
    }
    if (failure != null) {
      throw new IOException("the file failed before: name=" + file.entry().getName(), failure);
    }
  }

  private void flushBuffer(boolean isEnd) throws IOException {
    buffer.flip();
    writeBody(buffer, isEnd);
    buffer.clear();
  }

  private void writeBody(ByteBuffer bytes, boolean isEnd) throws IOException {
    boolean written = false;
    try {
      body.write(bytes, isEnd);
      written = true;
    } catch (IOException e) {
      failure = e;
      throw e;
    } finally {
      if (!written && failure == null) {
        failure = new IOException("not all bytes were written");
      }
    }
  }

  /** Does nothing: what is not closed is not there for anybody. */
  @Override
  public void flush() throws IOException {
    requireOpen();
  }

  /**
   * Completes the file.
   *
   * @throws IOException when it is not complete, now or because of an error before; it is gone then
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    if (failure != null) {
      abandon();
      // Not its cause: this one becomes a part of that one where a resource is closed after it.
      throw new IOException(
          "the file was not completed: name="
              + file.entry().getName()
              + ": "
              + failure.getMessage());
    }
    boolean done = false;
    try {
      file.complete(length, finish(), body.checksum());
      done = true;
    } finally {
      if (done) {
        end();
      } else {
        abandon();
      }
    }
  }

  /** Writes what is not written yet, and returns the places of the blocks; nothing more comes. */
  private List<Integer> finish() throws IOException {
    if (isBuffered()) {
      flushBuffer(true);
    }
    return body.end();
  }

  /**
   * The same as {@link #close} without a wait for the master: the thread may go on with other files
   * meanwhile. This object is closed when it returns, and the file is there when the result is.
   *
   * @return what is known of the file; fails with what {@link #close} would throw
   */
  public CompletableFuture<FileEntry> closeAsync() {
    List<Integer> places;
    try {
      requireOpen();
      places = finish();
    } catch (IOException e) {
      abandon();
      return CompletableFuture.failedFuture(e);
    }
    release();
    return file.completeAsync(length, places, body.checksum())
        .whenComplete(
            (completed, error) -> {
              ended.run();
              if (error != null) {
                file.abandonAsync();
              }
            });
  }

  /** Gives the file up: it is gone. */
  public void abandon() {
    if (closed) {
      return;
    }
    try {
      end();
      file.abandon();
    } catch (IOException e) {
      // The master gives it up itself when this client is silent.
      failure = e;
    }
  }

  private void end() {
    release();
    ended.run();
  }

  private void release() {
    closed = true;
    body.close();
    if (buffer != null) {
      buffers.giveBack(buffer);
      buffer = null;
    }
  }
}

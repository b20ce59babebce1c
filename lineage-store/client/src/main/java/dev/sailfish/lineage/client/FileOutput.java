package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.BlockWriter;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A file that is being written, a block after the other. When {@link #close} returns, it is there
 * as a whole; until then nobody reads it, and after an error nobody ever does. For one thread.
 */
public final class FileOutput extends OutputStream {
  /** Room that is asked for at the beginning of a block of which more may come. */
  private static final long FIRST_ROOM = 16 << 20;

  private final NamespaceClient namespace;
  private final BlockAccess access;
  private final Buffers buffers;
  private final FileEntry entry;
  private final List<WorkerAddress> workers;
  private final Runnable ended;
  private final List<Integer> places = new ArrayList<>();
  private ByteBuffer buffer;
  private BlockWriter block;
  private long inBlock;
  private long length;
  private IOException failure;
  private boolean closed;

  /**
   * @param workers that may take blocks, the best first
   * @param ended run once when it is written, or given up
   */
  FileOutput(
      NamespaceClient namespace,
      BlockAccess access,
      Buffers buffers,
      FileEntry entry,
      List<WorkerAddress> workers,
      Runnable ended) {
    this.namespace = namespace;
    this.access = access;
    this.buffers = buffers;
    this.entry = entry;
    this.workers = new ArrayList<>(workers);
    this.ended = ended;
    this.buffer = buffers.take();
  }

  /** The file's id. */
  public long fid() {
    return entry.getFid();
  }

  /** How many bytes were written. */
  public long position() {
    return length;
  }

  @Override
  public void write(int one) throws IOException {
    requireOpen();
    if (!buffer.hasRemaining()) {
      flushBuffer(false);
    }
    buffer.put((byte) one);
    length++;
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    write(ByteBuffer.wrap(bytes, offset, count));
  }

  /**
   * Writes bytes, from position to limit. Many at once in a direct buffer are not copied on their
   * way to the block.
   */
  public void write(ByteBuffer bytes) throws IOException {
    requireOpen();
    while (bytes.hasRemaining()) {
      boolean isStraight =
          buffer.position() == 0 && bytes.isDirect() && bytes.remaining() >= buffer.capacity();
      int count = Math.min(bytes.remaining(), buffer.remaining());
      ByteBuffer piece = bytes.slice(bytes.position(), count);
      if (isStraight) {
        writeBlocks(piece, false);
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

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the file is closed: name=" + entry.getName());
    }
    if (failure != null) {
      throw new IOException("the file failed before: name=" + entry.getName(), failure);
    }
  }

  private void flushBuffer(boolean isEnd) throws IOException {
    buffer.flip();
    writeBlocks(buffer, isEnd);
    buffer.clear();
  }

  /** A block is a multiple of a unit, as a buffer is: only the end of the file is shorter. */
  private void writeBlocks(ByteBuffer bytes, boolean isEnd) throws IOException {
    boolean written = false;
    try {
      while (bytes.hasRemaining()) {
        if (block == null) {
          long room = isEnd ? bytes.remaining() : Math.max(FIRST_ROOM, bytes.remaining());
          begin(Math.min(room, entry.getBlockSize()));
        }
        int count = (int) Math.min(bytes.remaining(), entry.getBlockSize() - inBlock);
        block.write(bytes.slice(bytes.position(), count));
        bytes.position(bytes.position() + count);
        inBlock += count;
        if (inBlock == entry.getBlockSize()) {
          seal();
        }
      }
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

  /** At the best worker that takes it; one that does not is not asked again. */
  private void begin(long room) throws IOException {
    BlockName name = BlockName.newBuilder().setFid(entry.getFid()).setBlock(places.size()).build();
    IOException none =
        new IOException(
            "no worker takes a block of "
                + entry.getName()
                + ": do workers run, and have they room?");
    while (block == null) {
      if (workers.isEmpty()) {
        throw none;
      }
      try {
        block = access.begin(workers.get(0), name, entry.getBlockSize(), room);
      } catch (IOException e) {
        boolean isFinal =
            e instanceof RemoteException refusal && refusal.status() == Status.UNAUTHENTICATED;
        if (isFinal) {
          throw e;
        }
        none.addSuppressed(e);
        workers.remove(0);
      }
    }
    inBlock = 0;
  }

  private void seal() throws IOException {
    places.add(block.seal());
    block.close();
    block = null;
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
          "the file was not completed: name=" + entry.getName() + ": " + failure.getMessage());
    }
    boolean done = false;
    try {
      if (buffer.position() > 0) {
        flushBuffer(true);
      }
      if (block != null) {
        seal();
      }
      namespace.complete(entry.getFid(), length, places);
      done = true;
    } finally {
      if (done) {
        end();
      } else {
        abandon();
      }
    }
  }

  /** Gives the file up: it is gone. */
  public void abandon() {
    if (closed) {
      return;
    }
    try {
      end();
      namespace.abandon(entry.getFid());
    } catch (IOException e) {
      // The master gives it up itself when this client is silent.
      failure = e;
    }
  }

  private void end() {
    closed = true;
    if (block != null) {
      block.close();
      block = null;
    }
    buffers.giveBack(buffer);
    buffer = null;
    ended.run();
  }
}

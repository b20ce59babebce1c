package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.memory.Unmapping;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.BlockName;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads a block out of the worker's file, on the same host. Of one in memory, many bytes at once
 * are checked and copied out of a mapping, a part of the file after the other: that is a third
 * faster than the channel, which copies them in the kernel before they can be checked.
 */
final class LocalBlockReader implements BlockReader {
  private static final int AT_ONCE = 16 * BlockTail.UNIT;

  /** How much is mapped at a time: so much more memory a process seems to use. */
  private static final int WINDOW = 8 << 20;

  /** Fewer bytes at once are not worth a mapping. */
  private static final int FEW = 4 * BlockTail.UNIT;

  private final FileChannel file;
  private final BlockTail tail;
  private final boolean inMemory;
  private MappedByteBuffer mapped;

  // Bytes [windowAt, windowAt + window.limit()) of the block; seen by nobody else.
  private MappedByteBuffer window;
  private long windowAt;

  /**
   * @param fileLength as the worker says
   * @param inMemory whether no disk can fail who touches a mapping
   */
  LocalBlockReader(BlockName name, Path path, long fileLength, boolean inMemory)
      throws IOException {
    this.inMemory = inMemory;
    file = FileChannel.open(path, StandardOpenOption.READ);
    boolean isRead = false;
    try {
      long length = Math.max(0, BlockTail.blockLength(fileLength));
      ByteBuffer bytes = ByteBuffer.allocate(BlockTail.length(length));
      read(bytes, length);
      tail = BlockTail.decode(bytes.flip(), fileLength, name.getFid(), name.getBlock());
      isRead = true;
    } finally {
      if (!isRead) {
        file.close();
      }
    }
  }

  private void read(ByteBuffer into, long offset) throws IOException {
    long at = offset;
    while (into.hasRemaining()) {
      int count = file.read(into, at);
      if (count < 0) {
        throw new EOFException("the block's file ends at " + at);
      }
      at += count;
    }
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    if (inMemory && into.remaining() >= FEW) {
      copy(offset, into);
    } else {
      readChannel(offset, into);
    }
  }

  /** Unit by unit, which is in the processor's cache when it is copied. */
  private void copy(long offset, ByteBuffer into) throws IOException {
    long at = offset;
    while (into.hasRemaining()) {
      if (window == null || at < windowAt || at >= windowAt + window.limit()) {
        moveWindow(at);
      }
      int from = (int) (at - windowAt);
      int count = Math.min(BlockTail.UNIT, Math.min(into.remaining(), window.limit() - from));
      ByteBuffer unit = window.slice(from, count);
      tail.verify(at, unit);
      into.put(unit);
      at += count;
    }
  }

  private void moveWindow(long at) throws IOException {
    unmapWindow();
    windowAt = at - at % WINDOW;
    long count = Math.min(WINDOW, tail.length() - windowAt);
    window = file.map(FileChannel.MapMode.READ_ONLY, windowAt, count);
  }

  private void unmapWindow() {
    MappedByteBuffer last = window;
    window = null;
    if (last != null) {
      Unmapping.unmap(last); // if that cannot be done, the garbage collector does
    }
  }

  /** In pieces that are in the processor's cache still when they are checked. */
  private void readChannel(long offset, ByteBuffer into) throws IOException {
    int end = into.limit();
    for (long at = offset; into.position() < end; at += AT_ONCE) {
      int from = into.position();
      into.limit(Math.min(end, from + AT_ONCE));
      read(into, at);
      tail.verify(at, into.duplicate().position(from));
      into.limit(end);
    }
  }

  /** Checked once. */
  @Override
  public ByteBuffer map() throws IOException {
    if (mapped == null) {
      MappedByteBuffer whole = file.map(FileChannel.MapMode.READ_ONLY, 0, tail.length());
      tail.verify(0, whole);
      mapped = whole;
    }
    return mapped.asReadOnlyBuffer();
  }

  @Override
  public long length() {
    return tail.length();
  }

  @Override
  public void close() {
    unmapWindow();
    try {
      file.close();
    } catch (IOException e) {
      mapped = null; // a file that was read: nothing is lost
    }
  }
}

package dev.sailfish.lineage.client.block;

import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.BlockName;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads a block out of the worker's file, on the same host. */
final class LocalBlockReader implements BlockReader {
  private static final int AT_ONCE = 16 * BlockTail.UNIT;

  private final FileChannel file;
  private final BlockTail tail;
  private MappedByteBuffer mapped;

  /**
   * @param fileLength as the worker says
   */
  LocalBlockReader(BlockName name, Path path, long fileLength) throws IOException {
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

  /** In pieces that are in the processor's cache still when they are checked. */
  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
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
    try {
      file.close();
    } catch (IOException e) {
      mapped = null; // a file that was read: nothing is lost
    }
  }
}

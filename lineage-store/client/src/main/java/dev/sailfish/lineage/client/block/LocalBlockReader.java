package dev.sailfish.lineage.client.block;

import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.BlockName;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads a block out of the worker's file, on the same host. Bytes come through the channel, and are
 * checked where they arrive; who reads on in a block in memory gets them out of a mapping, as far
 * as a spare processor has touched its pages: that takes half the time then, and longer than the
 * channel otherwise. In huge pages all but small pieces are read so.
 */
final class LocalBlockReader implements BlockReader {
  /** What was read is in the processor's cache still when it is checked. */
  private static final int AT_ONCE = 4 * BlockTail.UNIT;

  /** Fewer bytes at once are not worth a mapping. */
  private static final int FEW = 4 * BlockTail.UNIT;

  private final FileChannel file;
  private final BlockTail tail;
  private final Backing backing;
  private final SpareProcessors spare;
  private BlockMapping mapping;
  private long next = -1; // behind what was read last
  private boolean isStream;

  /**
   * @param fileLength as the worker says
   * @param backing what is behind the file, as the worker says
   */
  LocalBlockReader(
      BlockName name, Path path, long fileLength, Backing backing, SpareProcessors spare)
      throws IOException {
    this.backing = backing;
    this.spare = spare;
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
    boolean isMapped =
        into.remaining() >= FEW
            && switch (backing) {
              case DISK -> false;
              case MEMORY -> offset == next && isTouched(offset, into.remaining());
              case HUGE_PAGES -> true;
            };
    next = offset + into.remaining();
    if (isMapped) {
      mapping().read(offset, into);
    } else {
      readChannel(offset, into);
    }
  }

  /** Whether the next bytes of a stream were touched; those behind them will be, if possible. */
  private boolean isTouched(long offset, int count) throws IOException {
    beginStream();
    boolean isHelped = mapping != null || spare.isAny();
    if (isHelped) {
      mapping().readOn(offset + count);
    }
    return isHelped && mapping.isTouched(offset, count);
  }

  private void beginStream() {
    if (!isStream) {
      isStream = true;
      spare.streamBegins();
    }
  }

  private BlockMapping mapping() throws IOException {
    if (mapping == null) {
      mapping = new BlockMapping(file, tail, spare, backing != Backing.HUGE_PAGES);
    }
    return mapping;
  }

  private void readChannel(long offset, ByteBuffer into) throws IOException {
    int end = into.limit();
    try {
      for (long at = offset; into.position() < end; at += AT_ONCE) {
        int from = into.position();
        into.limit(Math.min(end, from + AT_ONCE));
        read(into, at);
        tail.verify(at, into.duplicate().position(from));
      }
    } finally {
      into.limit(end);
    }
  }

  @Override
  public ByteBuffer map(long offset, int count) throws IOException {
    beginStream();
    return mapping().view(offset, count);
  }

  @Override
  public boolean rest() {
    if (isStream) {
      isStream = false;
      spare.streamEnds();
    }
    return true;
  }

  @Override
  public long length() {
    return tail.length();
  }

  @Override
  public void close() {
    rest();
    BlockMapping last = mapping;
    mapping = null;
    if (last != null) {
      last.close();
    }
    try {
      file.close();
    } catch (IOException e) {
      next = -1; // a file that was read: nothing is lost
    }
  }
}

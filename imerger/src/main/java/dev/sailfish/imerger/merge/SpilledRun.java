package dev.sailfish.imerger.merge;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.FormatException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/** A run in a local file, written by {@link SpillWriter}; owns the file. */
final class SpilledRun extends RunCursor {
  private static final int WINDOW_BYTES = 256 << 10;

  private final Path path;
  private final FileChannel channel;
  private final long end;
  private final int longestBlock;
  private final boolean encrypted;
  private byte[] window = new byte[0];
  private int position;
  private int limit;
  private long readTo;

  /**
   * @param channel belongs to the run from here on
   * @param end length of the file
   */
  SpilledRun(BlockDecoder decoder, Path path, FileChannel channel, long end, int longestBlock) {
    super(decoder);
    this.path = path;
    this.channel = channel;
    this.end = end;
    this.longestBlock = longestBlock;
    this.encrypted = decoder.encrypted();
  }

  @Override
  protected long minimumBytes() {
    return (long) longestBlock + rawCapacity();
  }

  /** Records are decrypted to an array beside the window. */
  @Override
  protected int rawCapacity() {
    return encrypted ? longestBlock : 0;
  }

  @Override
  protected int open(List<RunCursor> group, int position, int windowBytes) {
    long wanted = Math.min(Math.min(windowBytes, WINDOW_BYTES), end);
    int length = (int) Math.max(longestBlock, wanted);
    if (length > longestBlock && length + (long) rawCapacity() > decoder.freeBytes()) {
      length = longestBlock;
    }
    reserve(length + (long) rawCapacity());
    window = new byte[length];
    return 1;
  }

  @Override
  protected boolean nextBlock() throws IOException {
    if (position == limit && readTo == end) {
      release();
      return false;
    }
    if (limit - position < BlockHeader.LENGTH) {
      fill();
    }
    ByteBuffer bytes = ByteBuffer.wrap(window);
    BlockHeader header = BlockHeader.read(bytes, position, limit);
    if (limit - position < header.blockLength()) {
      fill();
      header = BlockHeader.read(bytes, position, limit);
    }
    if (limit - position < header.blockLength()) {
      throw new EOFException(
          "run file=" + path + " ends inside a block: length=" + end + " block=" + header);
    }
    take(header, window, position + BlockHeader.LENGTH, 0, readTo - (limit - position));
    position += header.blockLength();
    return true;
  }

  /** Moves the block that was begun to the front and fills the window behind it. */
  private void fill() throws IOException {
    int kept = limit - position;
    System.arraycopy(window, position, window, 0, kept);
    position = 0;
    limit = kept;
    while (limit < window.length && readTo < end) {
      int length = Math.min(window.length - limit, SpillWriter.PIECE_BYTES);
      int count = channel.read(ByteBuffer.wrap(window, limit, length), readTo);
      if (count < 0) {
        throw new EOFException("run file=" + path + " was cut: offset=" + readTo + " end=" + end);
      }
      limit += count;
      readTo += count;
    }
  }

  @Override
  protected int rankOf(int source) {
    return source;
  }

  @Override
  protected IOException damaged(FormatException damage) {
    return new IOException(
        "run file=" + path + " is damaged before offset=" + readTo + ": " + damage.getMessage(),
        damage);
  }

  @Override
  public void release() {
    window = new byte[0];
    position = 0;
    limit = 0;
    readTo = end;
    forget();
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close run file=" + path, e);
    }
  }
}

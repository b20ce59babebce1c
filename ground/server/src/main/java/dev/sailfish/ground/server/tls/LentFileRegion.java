package dev.sailfish.ground.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultFileRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A file region that leaves its file open: it belongs to the one who gave the answer. */
public final class LentFileRegion extends DefaultFileRegion {
  private final FileChannel file;

  /** Of an open file; {@code length} bytes from {@code offset} on. */
  public LentFileRegion(FileChannel file, long offset, long length) {
    super(file, offset, length);
    this.file = file;
  }

  /** Some of its bytes, in a buffer that the caller owns. */
  ByteBuf read(ByteBufAllocator allocator, long from, int count) throws IOException {
    ByteBuf bytes = allocator.ioBuffer(count);
    try {
      for (int done = 0; done < count; done = bytes.readableBytes()) {
        if (bytes.writeBytes(file, position() + from + done, count - done) < 0) {
          throw new EOFException(
              "file has bytes=" + file.size() + ", needed=" + (position() + count()));
        }
      }
      return bytes;
    } catch (IOException e) {
      bytes.release();
      throw e;
    }
  }

  @Override
  protected void deallocate() {
    // Closing the file, as the superclass does, would take it from its owner.
  }
}

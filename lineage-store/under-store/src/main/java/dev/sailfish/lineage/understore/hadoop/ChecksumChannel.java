package dev.sailfish.lineage.understore.hadoop;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** Takes bytes for their checksum alone. */
final class ChecksumChannel implements WritableByteChannel {
  private final CRC32C crc = new CRC32C();

  int crc32c() {
    return (int) crc.getValue();
  }

  @Override
  public int write(ByteBuffer source) {
    int length = source.remaining();
    crc.update(source);
    return length;
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() {}
}

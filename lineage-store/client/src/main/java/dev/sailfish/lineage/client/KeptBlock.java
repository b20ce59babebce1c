package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockWriter;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.FileChecksum;
import java.nio.ByteBuffer;

/** A block that a worker has already: its bytes count for the file's checksum, and go nowhere. */
final class KeptBlock implements BlockWriter {
  private final int place;
  private final FileChecksum sum;

  KeptBlock(int place, FileChecksum sum) {
    this.place = place;
    this.sum = sum;
  }

  @Override
  public void write(ByteBuffer bytes) {
    sum.add(BlockTail.checksums(bytes));
    bytes.position(bytes.limit());
  }

  @Override
  public int seal() {
    return place;
  }

  @Override
  public void close() {
    // Nothing was begun.
  }
}

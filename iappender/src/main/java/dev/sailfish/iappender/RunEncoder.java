package dev.sailfish.iappender;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.BlockEncoder.EncodedBlock;
import java.nio.ByteBuffer;

/**
 * Makes the blocks of a job with a comparator: sorts the records of a buffer, and makes a run of
 * them ({@link RunDescriptor}), whose first keys a server can tell.
 *
 * <p>A plain block does as well when its records are stored as they are and are no more than a
 * block of a run has. In an encrypted job nobody may tell keys, and there are no runs.
 */
final class RunEncoder {
  private static final int START = PartitionBuffer.START;

  private final BlockSorter sorter;
  private final BlockEncoder encoder;
  private final BufferPool pool;
  private final boolean encrypted;

  /** The records of one block of a run, before they are compressed. */
  private byte[] gathered = PartitionBuffer.NONE;

  RunEncoder(KeyOrder order, BlockEncoder encoder, BufferPool pool, boolean encrypted) {
    sorter = new BlockSorter(order);
    this.encoder = encoder;
    this.pool = pool;
    this.encrypted = encrypted;
  }

  /**
   * Makes a block of what is in the buffer.
   *
   * @param sequence of the block
   */
  EncodedBlock encode(PartitionBuffer buffer, int sequence) {
    byte[] bytes = buffer.bytes;
    int count = buffer.records;
    int length = buffer.length();
    int[] order = sorter.sort(bytes, START, count);
    if (isRun(length)) {
      return run(bytes, order, count, length, buffer.partition, sequence);
    }
    byte[] sorted = pool.take(length);
    BlockSorter.gather(bytes, order, 0, count, sorted, 0);
    EncodedBlock block = encoder.encode(sorted, 0, length);
    if (block.bytes() != sorted) {
      pool.give(sorted);
    }
    return block;
  }

  private boolean isRun(int length) {
    return !encrypted && (encoder.compresses() || length > RunDescriptor.BLOCK_BYTES);
  }

  /** Makes a block of one long record; its array may become the block's. */
  EncodedBlock encode(byte[] record, int offset, int length, int partition, int sequence) {
    return !encrypted && encoder.compresses()
        ? run(record, new int[] {offset}, 1, length, partition, sequence)
        : encoder.encode(record, offset, length);
  }

  private EncodedBlock run(
      byte[] bytes, int[] order, int count, int length, int partition, int sequence) {
    long blocks = Math.min(count, RunDescriptor.mostBlocks(1, length));
    int most = encoder.maxLength(length);
    byte[] run = pool.take(most + (int) blocks * RunDescriptor.MAX_OVERHEAD);
    ByteBuffer buffer = ByteBuffer.wrap(run);
    int position = 0;
    int end;
    for (int first = 0; first < count; first = end) {
      end = endOfBlock(bytes, order, first, count);
      int header = putKey(bytes, order[first], buffer, position);
      EncodedBlock block = store(bytes, order, first, end, run, header + BlockHeader.LENGTH);
      encoder.header(block, partition, sequence, end - first).write(buffer, header);
      position = block.offset() + block.length();
    }
    return EncodedBlock.ofRun(run, position, length);
  }

  /** The end of the records that make one block of a run. */
  private static int endOfBlock(byte[] bytes, int[] order, int first, int count) {
    int end = first;
    int used = 0;
    do {
      used += BlockSorter.length(bytes, order[end++]);
    } while (end < count
        && used + BlockSorter.length(bytes, order[end]) <= RunDescriptor.BLOCK_BYTES);
    return end;
  }

  private EncodedBlock store(byte[] bytes, int[] order, int first, int end, byte[] run, int start) {
    if (!encoder.compresses()) {
      int length = BlockSorter.gather(bytes, order, first, end, run, start) - start;
      return EncodedBlock.plain(run, start, length);
    }
    if (end - first == 1) {
      int length = BlockSorter.length(bytes, order[first]);
      return encoder.encode(bytes, order[first], length, run, start);
    }
    if (gathered.length == 0) {
      gathered = new byte[RunDescriptor.BLOCK_BYTES];
    }
    int length = BlockSorter.gather(bytes, order, first, end, gathered, 0);
    return encoder.encode(gathered, 0, length, run, start);
  }

  /** Writes the key of a record, cut, with its length; returns where the block begins. */
  private static int putKey(byte[] bytes, int record, ByteBuffer target, int position) {
    int at = record + Varint.length(Varint.get(bytes, record, bytes.length));
    int keyLength = Varint.get(bytes, at, bytes.length);
    int length = Math.min(keyLength, RunDescriptor.MAX_KEY_LENGTH);
    target.putShort(position, (short) length);
    int key = position + RunDescriptor.KEY_OFFSET;
    target.put(key, bytes, at + Varint.length(keyLength), length);
    return key + length;
  }
}

package dev.sailfish.benchmarks.codec;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * One block of the partitioned sort's records, 64 KiB as chunksorters write them or 256 KiB as
 * iappenders do, encrypted and decrypted, checksum and header included, uncompressed. A score is
 * the time for the block. {@link #encodePlain} and {@link #decodePlain} are the floor: the same
 * without encryption. Records of a job are encrypted twice and decrypted twice: by the iappender,
 * the chunksorter, which does both, and the imerger.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class EncryptionBenchmark extends AverageTimeBenchmark {
  /** Size of the block, about. */
  @Param({"64", "256"})
  public int kib;

  /** Whether records and block are in direct memory, as in a chunksorter, or on the heap. */
  @Param({"false", "true"})
  public boolean direct;

  private int records;
  private int length;
  private DataCipher cipher;
  private ByteBuffer plain;
  private ByteBuffer plainBlock;
  private ByteBuffer block;
  private ByteBuffer decrypted;

  private ByteBuffer allocate(int capacity) {
    return direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
  }

  /** Makes the records, and the blocks for decoding. */
  @Setup
  public void prepare() {
    records = (kib << 10) / SortRecords.LENGTH;
    byte[] bytes = new SortRecords(1).nextBlock(records);
    length = bytes.length;
    cipher = new DataCipher(new byte[DataCipher.KEY_LENGTH]);
    plain = allocate(length).put(0, bytes);
    decrypted = allocate(length);
    plainBlock = allocate(BlockHeader.LENGTH + length).put(BlockHeader.LENGTH, bytes);
    block = allocate(BlockHeader.LENGTH + length + BlockHeader.ENCRYPTION_OVERHEAD);
    encodePlain();
    encode();
  }

  private BlockHeader header(int flags, int storedLength) {
    return new BlockHeader(CodecId.NONE, flags, 0, 0, 0, 0, records, length, storedLength, 0);
  }

  /** The floor of {@link #encode}: checksum and header. */
  @Benchmark
  public ByteBuffer encodePlain() {
    int checksum = Checksum.of(plainBlock, BlockHeader.LENGTH, length);
    header(0, length).withStored(length, checksum).write(plainBlock, 0);
    return plainBlock;
  }

  /** Encrypt, checksum, header. */
  @Benchmark
  public ByteBuffer encode() {
    BlockHeader header = header(BlockHeader.FLAG_ENCRYPTED, 0);
    int stored = cipher.ofBlock(header).encrypt(plain, 0, length, block, BlockHeader.LENGTH);
    int checksum = Checksum.of(block, BlockHeader.LENGTH, stored);
    header.withStored(stored, checksum).write(block, 0);
    return block;
  }

  /** The floor of {@link #decode}: header and checksum. */
  @Benchmark
  public ByteBuffer decodePlain() throws FormatException {
    BlockHeader.read(plainBlock, 0, plainBlock.capacity())
        .checkStored(plainBlock, BlockHeader.LENGTH);
    return plainBlock;
  }

  /** Header, checksum, decrypt. */
  @Benchmark
  public ByteBuffer decode() throws FormatException {
    BlockHeader header = BlockHeader.read(block, 0, block.capacity());
    header.checkStored(block, BlockHeader.LENGTH);
    cipher.ofBlock(header).decrypt(block, BlockHeader.LENGTH, header.storedLength(), decrypted, 0);
    return decrypted;
  }
}

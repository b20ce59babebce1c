package dev.sailfish.benchmarks.codec;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.codec.BlockCompression;
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
 * One block of 256 KiB of the partitioned sort's records, made ready to be sent and taken apart
 * again. A score is the time for the block; {@link #copyOnly} is the floor: its records copied
 * once. As in the product, records that are not to be compressed stay where they are, so with NONE
 * the scores are those of checksum and header.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class BlockBenchmark extends AverageTimeBenchmark {
  private static final int RECORDS = (256 << 10) / SortRecords.LENGTH;

  /** What the block is compressed with. */
  @Param({"NONE", "LZ4", "SNAPPY", "ZSTD", "LZO"})
  public CodecId codec;

  private BlockCompression compression;
  private byte[] records;
  private byte[] copy;
  private byte[] encoded;
  private ByteBuffer encodedBuffer;

  /** Makes the records, and the encoded block for {@link #decode}. */
  @Setup
  public void prepare() {
    compression = BlockCompression.of(codec);
    records = new SortRecords(1).nextBlock(RECORDS);
    copy = records.clone();
    encoded = new byte[BlockHeader.LENGTH + compression.maxCompressedLength(records.length)];
    encodedBuffer = ByteBuffer.wrap(encoded);
    compression.compress(records, 0, records.length, encoded, BlockHeader.LENGTH);
    encode();
  }

  /** The baseline: what moving the records costs. */
  @Benchmark
  public byte[] copyOnly() {
    System.arraycopy(records, 0, copy, 0, records.length);
    return copy;
  }

  /** As an iappender does: compress, checksum, header. */
  @Benchmark
  public ByteBuffer encode() {
    byte[] stored = records;
    int offset = 0;
    int length = records.length;
    if (codec != CodecId.NONE) {
      stored = encoded;
      offset = BlockHeader.LENGTH;
      length = compression.compress(records, 0, records.length, stored, offset);
    }
    int checksum = Checksum.of(stored, offset, length);
    new BlockHeader(codec, 0, 0, 0, 0, 0, RECORDS, records.length, length, checksum)
        .write(encodedBuffer, 0);
    return encodedBuffer;
  }

  /** As an imerger does: header, checksum, decompress. */
  @Benchmark
  public byte[] decode() throws FormatException {
    BlockHeader header = BlockHeader.read(encodedBuffer, 0, encoded.length);
    header.checkStored(encoded, BlockHeader.LENGTH);
    if (header.codec() == CodecId.NONE) {
      return encoded;
    }
    compression.decompress(
        encoded, BlockHeader.LENGTH, header.storedLength(), copy, 0, header.rawLength());
    return copy;
  }
}

package dev.sailfish.chunkserver;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** A block as an appender makes it, with the records in it. */
public record TestBlock(BlockHeader header, List<TestRecord> records, byte[] bytes) {

  /** A record; equal by content. */
  public record TestRecord(byte[] key, byte[] value) {
    static final Comparator<TestRecord> BY_KEY =
        (left, right) -> Arrays.compareUnsigned(left.key, right.key);

    int length() {
      return RecordDescriptor.headerLength(key.length, value.length) + key.length + value.length;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof TestRecord record
          && Arrays.equals(key, record.key)
          && Arrays.equals(value, record.value);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
      return "key=" + Arrays.toString(key) + " value bytes=" + value.length;
    }
  }

  /** Who appends a block, to which partition. */
  public record Source(int partition, int map, int attempt, int sequence) {}

  public static TestBlock of(Source source, CodecId codec, int flags, List<TestRecord> records) {
    byte[] raw = new byte[records.stream().mapToInt(TestRecord::length).sum()];
    int position = 0;
    for (TestRecord record : records) {
      int keyLength = record.key().length;
      position = RecordDescriptor.putHeader(raw, position, keyLength, record.value().length);
      System.arraycopy(record.key(), 0, raw, position, keyLength);
      position += keyLength;
      System.arraycopy(record.value(), 0, raw, position, record.value().length);
      position += record.value().length;
    }
    BlockCompression compression = BlockCompression.of(codec);
    byte[] stored = new byte[compression.maxCompressedLength(raw.length)];
    int length = compression.compress(raw, 0, raw.length, stored, 0);
    BlockHeader header =
        new BlockHeader(
            codec,
            flags,
            source.partition(),
            source.map(),
            source.attempt(),
            source.sequence(),
            records.size(),
            raw.length,
            length,
            Checksum.of(stored, 0, length));
    ByteBuffer bytes = ByteBuffer.allocate(header.blockLength());
    header.write(bytes, 0);
    bytes.put(BlockHeader.LENGTH, stored, 0, length);
    return new TestBlock(header, records, bytes.array());
  }

  /** Records of about {@code bytes} bytes together, with keys that repeat now and then. */
  public static TestBlock random(SplittableRandom random, Source source, CodecId codec, int bytes) {
    return of(source, codec, 0, randomRecords(random, bytes));
  }

  static List<TestRecord> randomRecords(SplittableRandom random, int bytes) {
    List<TestRecord> records = new ArrayList<>();
    int left = bytes;
    while (left > 0) {
      byte[] key = TestBytes.text(random, 1 + random.nextInt(12));
      byte[] value = TestBytes.compressible(random, Math.min(left, random.nextInt(200)), 0.5);
      TestRecord record = new TestRecord(key, value);
      records.add(record);
      left -= record.length();
    }
    return records;
  }

  /** Like {@link #random}, but as an appender with a comparator makes it. */
  public static TestBlock sorted(SplittableRandom random, Source source, CodecId codec, int bytes) {
    List<TestRecord> records = randomRecords(random, bytes);
    records.sort(TestRecord.BY_KEY);
    return of(source, codec, BlockHeader.FLAG_SORTED, records);
  }

  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes);
  }

  @Override
  public String toString() {
    return "header=" + header + " records=" + records.size();
  }
}

package dev.sailfish.cli.inspect;

import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.chunksorter.StableChunk;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordDescriptor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** The bytes of a chunk in the making, as iappender, chunkserver and chunksorter write them. */
public final class ChunkBytes {
  public static final int PARTITION = 3;

  private static final SorterConfig SORTER = new SorterConfig(1 << 20, 16 << 10);

  private final Ordering ordering;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public ChunkBytes(Ordering ordering, CodecId codec) {
    this.ordering = ordering;
    ByteBuffer header = ByteBuffer.allocate(ChunkHeader.LENGTH);
    new ChunkHeader("job_1_0007", PARTITION, 0xabcdL, ordering, codec).write(header);
    bytes.writeBytes(header.array());
  }

  /** Records with keys from {@code first} to {@code last}, downwards when they are to be sorted. */
  public static byte[] records(int first, int last) {
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    int step = first <= last ? 1 : -1;
    for (int i = first; i != last + step; i += step) {
      byte[] key = "key %05d".formatted(i).getBytes(StandardCharsets.US_ASCII);
      byte[] value = ("value\t" + i).getBytes(StandardCharsets.US_ASCII);
      byte[] header = new byte[RecordDescriptor.MAX_HEADER_LENGTH];
      raw.write(header, 0, RecordDescriptor.putHeader(header, 0, key.length, value.length));
      raw.writeBytes(key);
      raw.writeBytes(value);
    }
    return raw.toByteArray();
  }

  public ChunkBytes append(CodecId codec, int map, int sequence, int first, int last) {
    int flags = ordering == Ordering.COMPARATOR ? BlockHeader.FLAG_SORTED : 0;
    return block(codec, flags, map, sequence, Math.abs(first - last) + 1, records(first, last));
  }

  public ChunkBytes block(CodecId codec, int flags, int map, int sequence, int count, byte[] raw) {
    BlockCompression compression = BlockCompression.of(codec);
    byte[] out = new byte[compression.maxCompressedLength(raw.length)];
    byte[] stored = Arrays.copyOf(out, compression.compress(raw, 0, raw.length, out, 0));
    int attempt = map == BlockHeader.NO_MAP ? BlockHeader.NO_MAP : 1;
    BlockHeader header =
        new BlockHeader(
            codec,
            flags,
            PARTITION,
            map,
            attempt,
            sequence,
            count,
            raw.length,
            stored.length,
            Checksum.of(stored, 0, stored.length));
    return block(header, stored);
  }

  private ChunkBytes block(BlockHeader header, byte[] stored) {
    ByteBuffer buffer = ByteBuffer.allocate(BlockHeader.LENGTH);
    header.write(buffer, 0);
    bytes.writeBytes(buffer.array());
    bytes.writeBytes(stored);
    return this;
  }

  /** Appends a run: blocks of {@code blockRecords} records, each with its first key before it. */
  public ChunkBytes appendRun(
      CodecId codec, int map, int sequence, int first, int last, int blockRecords) {
    ByteArrayOutputStream run = new ByteArrayOutputStream();
    int rawLength = 0;
    for (int from = first; from >= last; from -= blockRecords) {
      int to = Math.max(last, from - blockRecords + 1);
      byte[] key = "key %05d".formatted(from).getBytes(StandardCharsets.US_ASCII);
      run.writeBytes(ByteBuffer.allocate(Short.BYTES).putShort((short) key.length).array());
      run.writeBytes(key);
      byte[] chunk =
          new ChunkBytes(ordering, codec).append(codec, map, sequence, from, to).appended();
      run.write(chunk, ChunkHeader.LENGTH, chunk.length - ChunkHeader.LENGTH);
      rawLength += records(from, to).length;
    }
    byte[] stored = run.toByteArray();
    BlockHeader header =
        new BlockHeader(
            CodecId.NONE,
            BlockHeader.FLAG_SORTED | BlockHeader.FLAG_RUN,
            PARTITION,
            map,
            1,
            sequence,
            first - last + 1,
            rawLength,
            stored.length,
            Checksum.of(stored, 0, stored.length));
    return block(header, stored);
  }

  public ChunkBytes appendVoid(int length) {
    byte[] nothing = new byte[length];
    Arrays.fill(nothing, (byte) 0x5f);
    return block(BlockHeader.ofVoid(PARTITION, length, Checksum.of(nothing, 0, length)), nothing);
  }

  public int length() {
    return bytes.size();
  }

  /** The chunk as it is while it takes appends. */
  public byte[] appended() {
    return bytes.toByteArray();
  }

  /** The chunk as the chunksorter leaves it. */
  public byte[] sorted() throws FormatException {
    if (ordering == Ordering.COMPARATOR) {
      return indexed(appended());
    }
    ByteBuffer chunk = ByteBuffer.wrap(appended());
    ByteBuffer output = ByteBuffer.allocate((int) ChunkSorter.maxSortedLength(chunk, length()));
    SortResult result = new ChunkSorter(SORTER).sort(chunk, length(), output);
    return Arrays.copyOf(output.array(), result.length());
  }

  /** An appended chunk with a comparator, as the chunksorter leaves it. */
  static byte[] indexed(byte[] appended) throws FormatException {
    int room = (int) ChunkSorter.maxIndexedLength(ByteBuffer.wrap(appended), appended.length);
    ByteBuffer chunk = ByteBuffer.allocate(room).put(0, appended);
    SortResult result = new ChunkSorter(SORTER).index(chunk, appended.length, chunk);
    return Arrays.copyOf(chunk.array(), result.length());
  }

  /** The file of this chunk and another one of the same I-file, sorted together. */
  public byte[] sortedWith(long otherId, ChunkBytes other) throws FormatException {
    ByteBuffer second = ByteBuffer.wrap(other.appended());
    ChunkHeader.read(second, other.length()).withChunkId(otherId).write(second);
    List<StableChunk> both =
        List.of(
            new StableChunk(ByteBuffer.wrap(appended()), length()),
            new StableChunk(second, other.length()));
    ByteBuffer output = ByteBuffer.allocate((int) ChunkSorter.maxSortedLength(both));
    SortResult result = new ChunkSorter(SORTER).sortTogether(both, output, null);
    return Arrays.copyOf(output.array(), result.length());
  }

  /** With {@code count} bytes of {@code filling} behind them. */
  public static byte[] longer(byte[] chunk, int count, int filling) {
    byte[] more = Arrays.copyOf(chunk, chunk.length + count);
    Arrays.fill(more, chunk.length, more.length, (byte) filling);
    return more;
  }
}

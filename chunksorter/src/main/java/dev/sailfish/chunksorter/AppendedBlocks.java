package dev.sailfish.chunksorter;

import dev.sailfish.format.BlockCursor;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.TruncatedFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The blocks of a stable chunk in the order (map, attempt, sequence), each once: a block's position
 * in that order is its source ordinal. A block that was appended twice, because its acknowledgement
 * was lost, counts once; a void block ({@link BlockHeader#ofVoid}) does not count.
 *
 * <p>Or those of several chunks of one I-file: in the same order, and a block that was appended to
 * two of them once for each, because only a manifest says which one counts.
 */
final class AppendedBlocks {
  private final ByteBuffer chunk;
  private final ChunkHeader chunkHeader;
  private final List<PlacedBlock> sources;

  /** Of several chunks: each source's; null: all are this one's. */
  private AppendedBlocks[] homes;

  private AppendedBlocks(ByteBuffer chunk, ChunkHeader chunkHeader, List<PlacedBlock> sources) {
    this.chunk = chunk;
    this.chunkHeader = chunkHeader;
    this.sources = sources;
  }

  /** Reads all block headers of a chunk whose blocks end at {@code length}. */
  static AppendedBlocks read(ByteBuffer bytes, int length) throws FormatException {
    ByteBuffer chunk = whole(bytes);
    BlockCursor cursor = new BlockCursor(chunk, length);
    List<PlacedBlock> blocks = new ArrayList<>();
    try {
      for (PlacedBlock block = cursor.next(); block != null; block = cursor.next()) {
        requireAppended(block, cursor.chunkHeader());
        if (!block.header().isVoid()) {
          blocks.add(block);
        }
      }
    } catch (TruncatedFormatException e) {
      throw new TruncatedFormatException(
          "chunk=" + cursor.chunkHeader().chunkId() + " " + e.getMessage());
    } catch (CorruptFormatException e) {
      throw damaged("chunk=" + cursor.chunkHeader().chunkId() + ": " + e.getMessage(), e);
    }
    blocks.sort(PlacedBlock.BY_SOURCE.thenComparingInt(PlacedBlock::offset));
    AppendedBlocks appended =
        new AppendedBlocks(chunk, cursor.chunkHeader(), new ArrayList<>(blocks.size()));
    appended.addOnce(blocks);
    return appended;
  }

  /** A block of one of several chunks. */
  private record Source(PlacedBlock block, AppendedBlocks home) {
    private static final Comparator<Source> ORDER =
        Comparator.comparing(Source::block, PlacedBlock.BY_SOURCE)
            .thenComparingLong(source -> source.home.chunkHeader.chunkId());
  }

  /**
   * The blocks of several chunks of one I-file as if they were one chunk, that with the lowest id.
   */
  static AppendedBlocks together(List<AppendedBlocks> chunks) {
    List<Source> all = new ArrayList<>();
    AppendedBlocks first = chunks.get(0);
    for (AppendedBlocks chunk : chunks) {
      requireSameIfile(first.chunkHeader, chunk.chunkHeader);
      chunk.sources.forEach(block -> all.add(new Source(block, chunk)));
      first = first.chunkHeader.chunkId() < chunk.chunkHeader.chunkId() ? first : chunk;
    }
    all.sort(Source.ORDER);
    AppendedBlocks together =
        new AppendedBlocks(
            first.chunk, first.chunkHeader, all.stream().map(Source::block).toList());
    together.homes = all.stream().map(Source::home).toArray(AppendedBlocks[]::new);
    return together;
  }

  private static void requireSameIfile(ChunkHeader one, ChunkHeader other) {
    boolean same =
        one.job().equals(other.job())
            && one.partition() == other.partition()
            && one.ordering() == other.ordering()
            && one.codec() == other.codec()
            && one.encrypted() == other.encrypted();
    if (!same) {
      throw new IllegalArgumentException(
          "chunks are not of one I-file: chunk=%s of %s".formatted(other, one));
    }
  }

  /** All of {@code buffer}, big-endian, whatever its position, limit and order are. */
  static ByteBuffer whole(ByteBuffer buffer) {
    return buffer.duplicate().clear();
  }

  private static void requireAppended(PlacedBlock block, ChunkHeader chunk)
      throws CorruptFormatException {
    BlockHeader header = block.header();
    boolean empty = header.isVoid() && !header.encrypted();
    if (!empty && !chunk.takes(header)) {
      throw new CorruptFormatException(
          "block does not belong into this chunk: %s flags=%s encrypted chunk=%s"
              .formatted(where(chunk, block), header.flags(), chunk.encrypted()));
    }
  }

  private void addOnce(List<PlacedBlock> blocks) throws CorruptFormatException {
    for (PlacedBlock block : blocks) {
      PlacedBlock last = sources.isEmpty() ? null : sources.get(sources.size() - 1);
      if (last == null || PlacedBlock.BY_SOURCE.compare(last, block) != 0) {
        sources.add(block);
      } else if (!last.header().equals(block.header())) {
        throw new CorruptFormatException(
            ("two different blocks have one identity: %s other offset=%s checksum=%x"
                    + " other checksum=%x")
                .formatted(
                    where(chunkHeader, block),
                    last.offset(),
                    block.header().storedChecksum(),
                    last.header().storedChecksum()));
      }
    }
  }

  /** All of the chunk, big-endian. */
  ByteBuffer chunk() {
    return chunk;
  }

  /** Whether these are blocks of several chunks. */
  boolean areShared() {
    return homes != null;
  }

  private AppendedBlocks home(int source) {
    return homes == null ? this : homes[source];
  }

  /** All of the chunk that a source is in, big-endian. */
  ByteBuffer chunk(int source) {
    return home(source).chunk;
  }

  /** The id of the chunk that a source is in. */
  long chunkId(int source) {
    return home(source).chunkHeader.chunkId();
  }

  ChunkHeader chunkHeader() {
    return chunkHeader;
  }

  int count() {
    return sources.size();
  }

  PlacedBlock get(int source) {
    return sources.get(source);
  }

  /** The sources from {@code from} to before {@code to} as they lie in the chunk. */
  IntStream byOffset(int from, int to) {
    return IntStream.range(from, to)
        .boxed()
        .sorted(Comparator.comparingInt(source -> sources.get(source).offset()))
        .mapToInt(Integer::intValue);
  }

  /**
   * Whether the records must be brought to one place: they are in several chunks, compressed or
   * encrypted.
   */
  boolean scattered() {
    return areShared()
        || chunkHeader.encrypted()
        || sources.stream().anyMatch(block -> block.header().codec() != CodecId.NONE);
  }

  /** Checks the stored bytes of a source against its checksum. */
  void verify(int source) throws CorruptFormatException {
    try {
      sources.get(source).checkStored(chunk(source));
    } catch (CorruptFormatException e) {
      throw damaged(source, e);
    }
  }

  /** The same error with chunk, offset and identity of the block it was found in. */
  CorruptFormatException damaged(int source, CorruptFormatException cause) {
    String where = where(home(source).chunkHeader, sources.get(source));
    return damaged(where + ": " + cause.getMessage(), cause);
  }

  private static CorruptFormatException damaged(String message, CorruptFormatException cause) {
    CorruptFormatException damaged = new CorruptFormatException(message);
    damaged.initCause(cause);
    return damaged;
  }

  /** Where a block is and who appended it, as {@code name=value}. */
  private static String where(ChunkHeader chunk, PlacedBlock block) {
    BlockHeader header = block.header();
    return "job=%s partition=%s chunk=%s offset=%s map=%s attempt=%s sequence=%s"
        .formatted(
            chunk.job(),
            chunk.partition(),
            chunk.chunkId(),
            block.offset(),
            header.map(),
            header.attempt(),
            header.sequence());
  }
}

package dev.sailfish.cli.inspect;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexedBlockCursor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Checks a SORTED chunk's source table and index against its blocks, which were found good one by
 * one before, and the order of the records in each run.
 */
final class TailVerifier {
  private final ChunkFile file;
  private final BlockRecords records;
  private final Consumer<String> place;
  private final ChunkTail tail;
  private final boolean normalized;
  private final RunOrder order = new RunOrder();
  private final Map<Long, PlacedBlock> unnamed = new LinkedHashMap<>();
  private final long[] sourceRecords;
  private final long[] sourceBytes;
  private int run = -1;
  private int blocksInRun;

  /**
   * @param place told which part of the tail is checked next
   */
  TailVerifier(ChunkFile file, BlockRecords records, Consumer<String> place) {
    this.place = place;
    this.file = file;
    this.records = records;
    tail = file.tail();
    normalized = file.header().ordering() == Ordering.NORMALIZED;
    sourceRecords = new long[tail.sources()];
    sourceBytes = new long[tail.sources()];
  }

  void verify() throws FormatException {
    for (PlacedBlock appended : file.blocks()) {
      IndexedBlockCursor blocks = BlockRecords.blocksOf(file.bytes(), appended);
      while (blocks.next()) {
        unnamed.put((long) blocks.block().offset(), blocks.block());
      }
    }
    boolean keysEncrypted = normalized && file.header().encrypted();
    if (tail.ordering() != file.header().ordering() || tail.keysEncrypted() != keysEncrypted) {
      throw new CorruptFormatException(
          "footer and chunk header differ: ordering=%s expected=%s keys encrypted=%s expected=%s"
              .formatted(
                  tail.ordering(), file.header().ordering(), tail.keysEncrypted(), keysEncrypted));
    }
    checkSources();
    for (int entry = 0; entry < tail.entries(); entry++) {
      place.accept("index entry=" + entry + " block offset=" + tail.entryOffset(entry));
      checkEntry(entry);
    }
    place.accept("sums");
    if (run + 1 != tail.runs()) {
      throw differ("runs", run + 1, "footer runs", tail.runs());
    }
    checkUnnamed();
    if (normalized && !tail.keysEncrypted()) {
      checkSourceCounts();
    }
  }

  private void checkSources() throws CorruptFormatException {
    Comparator<Integer> bySource =
        Comparator.<Integer>comparingInt(tail::sourceMap)
            .thenComparingInt(tail::sourceAttempt)
            .thenComparingInt(tail::sourceSequence)
            .thenComparingLong(source -> tail.sourceChunk(source, 0));
    if (tail.fileChunk(file.header().chunkId()) != file.header().chunkId()) {
      throw differ("lowest chunk", tail.fileChunk(0), "chunk id", file.header().chunkId());
    }
    long total = 0;
    for (int source = 0; source < tail.sources(); source++) {
      boolean valid = tail.sourceRecords(source) >= 0 && tail.sourceRawLength(source) >= 0;
      if (!valid || source > 0 && bySource.compare(source - 1, source) >= 0) {
        throw new CorruptFormatException(
            "source table is out of order or bounds: " + describeSource(source));
      }
      total += tail.sourceRecords(source);
    }
    if (total != tail.records()) {
      throw differ("records of all sources", total, "footer records", tail.records());
    }
  }

  private void checkEntry(int entry) throws FormatException {
    PlacedBlock block = unnamed.remove(tail.entryOffset(entry));
    if (block == null) {
      throw new CorruptFormatException("no block begins there, or two entries name it");
    }
    BlockHeader header = block.header();
    if (tail.entryLength(entry) != header.blockLength()
        || tail.entryRecords(entry) != header.records()
        || tail.entryRawLength(entry) != header.rawLength()) {
      throw new CorruptFormatException(
          "entry and block differ: length=%d records=%d raw length=%d block=%s"
              .formatted(
                  tail.entryLength(entry),
                  tail.entryRecords(entry),
                  tail.entryRawLength(entry),
                  header));
    }
    enterRun(tail.entryRun(entry));
    if (normalized && header.sequence() != blocksInRun) {
      throw differ("block in its run", blocksInRun, "block sequence", header.sequence());
    } else if (!normalized) {
      checkRunIsSource(header);
    }
    blocksInRun++;
    byte[] key = new byte[0];
    if (!header.encrypted()) {
      key = checkRecords(records.open(file.bytes(), block));
    }
    byte[] indexed = tail.keysEncrypted() ? null : tail.entryKey(entry);
    if (indexed != null && !Arrays.equals(key, indexed)) {
      throw new CorruptFormatException(
          "key is not the first of the block: key=%s expected=%s"
              .formatted(RecordText.hex(indexed), RecordText.hex(key)));
    }
  }

  private void enterRun(int entryRun) throws CorruptFormatException {
    if (entryRun != run && entryRun != run + 1) {
      throw differ("run", entryRun, "run of the entry before it", run);
    }
    if (entryRun != run) {
      run = entryRun;
      blocksInRun = 0;
      order.startRun();
    }
  }

  /** Returns the first record's key, cut as in an index. */
  private byte[] checkRecords(RecordCursor cursor) throws FormatException {
    byte[] firstKey = new byte[0];
    for (int number = 0; cursor.next(); number++) {
      if (number == 0) {
        int end = cursor.keyOffset() + Math.min(cursor.keyLength(), RunDescriptor.MAX_KEY_LENGTH);
        firstKey = Arrays.copyOfRange(cursor.buffer(), cursor.keyOffset(), end);
      }
      if (normalized) {
        order.check(cursor, number);
        countForSource(cursor);
      }
    }
    return firstKey;
  }

  private void countForSource(RecordCursor record) throws CorruptFormatException {
    int source = record.source();
    if (source >= sourceRecords.length) {
      throw differ("record's source", source, "sources", sourceRecords.length);
    }
    int key = record.keyLength();
    int value = record.valueLength();
    sourceRecords[source]++;
    sourceBytes[source] += (long) RecordDescriptor.headerLength(key, value) + key + value;
  }

  /**
   * With the job's own comparator a run is an appended block. That its blocks have its records
   * together was found when the tail was read.
   */
  private void checkRunIsSource(BlockHeader header) throws CorruptFormatException {
    if (!isSource(run, header)) {
      throw new CorruptFormatException(
          "source and block differ: " + describeSource(run) + " found=" + header);
    }
  }

  private String describeSource(int source) {
    return "source=%d map=%d attempt=%d sequence=%d records=%d raw length=%d"
        .formatted(
            source,
            tail.sourceMap(source),
            tail.sourceAttempt(source),
            tail.sourceSequence(source),
            tail.sourceRecords(source),
            tail.sourceRawLength(source));
  }

  /** Void blocks and blocks that were appended again are not in the index; nothing else is not. */
  private void checkUnnamed() throws CorruptFormatException {
    for (PlacedBlock block : unnamed.values()) {
      if (!block.header().isVoid() && (normalized || !isIndexed(block.header()))) {
        throw new CorruptFormatException("block is not in the index: offset=" + block.offset());
      }
    }
  }

  /** Whether one of the runs is the block of this name. */
  private boolean isIndexed(BlockHeader header) {
    return IntStream.rangeClosed(0, run).anyMatch(source -> isSource(source, header));
  }

  private boolean isSource(int source, BlockHeader header) {
    return tail.sourceMap(source) == header.map()
        && tail.sourceAttempt(source) == header.attempt()
        && tail.sourceSequence(source) == header.sequence();
  }

  private void checkSourceCounts() throws CorruptFormatException {
    for (int source = 0; source < tail.sources(); source++) {
      if (sourceRecords[source] != tail.sourceRecords(source)
          || sourceBytes[source] != tail.sourceRawLength(source)) {
        throw new CorruptFormatException(
            "source table does not add up: %s found records=%d found raw length=%d"
                .formatted(describeSource(source), sourceRecords[source], sourceBytes[source]));
      }
    }
  }

  private static CorruptFormatException differ(
      String name, long value, String otherName, long otherValue) {
    return new CorruptFormatException(
        "numbers do not fit: " + name + "=" + value + " " + otherName + "=" + otherValue);
  }
}

package dev.sailfish.cli.inspect;

import dev.sailfish.cli.inspect.ChunkFile.PlacedBlock;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.RecordDescriptor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Checks a SORTED chunk's source table and index against its blocks, which were found good one by
 * one before, and the order of the records in each run.
 */
final class TailVerifier {
  private final ChunkFile file;
  private final BlockRecords records;
  private final ChunkTail tail;
  private final boolean normalized;
  private final RunOrder order = new RunOrder();
  private final Map<Long, PlacedBlock> unnamed = new LinkedHashMap<>();
  private final long[] sourceRecords;
  private final long[] sourceBytes;
  private int run = -1;
  private int blocksInRun;

  TailVerifier(ChunkFile file, BlockRecords records) {
    this.file = file;
    this.records = records;
    tail = file.tail();
    normalized = file.header().ordering() == Ordering.NORMALIZED;
    sourceRecords = new long[tail.sources()];
    sourceBytes = new long[tail.sources()];
    file.blocks().forEach(block -> unnamed.put((long) block.offset(), block));
  }

  void verify() throws FormatException {
    if (tail.ordering() != file.header().ordering()) {
      throw new CorruptFormatException(
          "footer and chunk header differ: ordering="
              + tail.ordering()
              + " expected="
              + file.header().ordering());
    }
    if (tail.keysEncrypted() != (normalized && file.header().encrypted())) {
      throw new CorruptFormatException(
          "index and chunk header differ: keys encrypted="
              + tail.keysEncrypted()
              + " chunk encrypted="
              + file.header().encrypted());
    }
    checkSources();
    for (int entry = 0; entry < tail.entries(); entry++) {
      try {
        checkEntry(entry);
      } catch (CorruptFormatException e) {
        CorruptFormatException damage =
            new CorruptFormatException(
                "index entry="
                    + entry
                    + " block offset="
                    + tail.entryOffset(entry)
                    + ": "
                    + e.getMessage());
        damage.initCause(e);
        throw damage;
      }
    }
    if (run + 1 != tail.runs()) {
      throw differ("runs", run + 1, "footer runs", tail.runs());
    }
    checkUnnamed();
    if (normalized && !tail.keysEncrypted()) {
      checkSourceCounts();
    }
  }

  private void checkSources() throws CorruptFormatException {
    long total = 0;
    for (int source = 0; source < tail.sources(); source++) {
      boolean valid = tail.sourceRecords(source) >= 0 && tail.sourceRawLength(source) >= 0;
      if (!valid || source > 0 && compareSources(source - 1, source) >= 0) {
        throw new CorruptFormatException(
            "source table is out of order or bounds: source="
                + source
                + " map="
                + tail.sourceMap(source)
                + " attempt="
                + tail.sourceAttempt(source)
                + " sequence="
                + tail.sourceSequence(source)
                + " records="
                + tail.sourceRecords(source));
      }
      total += tail.sourceRecords(source);
    }
    if (total != tail.records()) {
      throw differ("records of all sources", total, "footer records", tail.records());
    }
  }

  private int compareSources(int left, int right) {
    int byMap = Integer.compare(tail.sourceMap(left), tail.sourceMap(right));
    int byAttempt = Integer.compare(tail.sourceAttempt(left), tail.sourceAttempt(right));
    int bySequence = Integer.compare(tail.sourceSequence(left), tail.sourceSequence(right));
    return byMap != 0 ? byMap : byAttempt != 0 ? byAttempt : bySequence;
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
          "entry and block differ: length="
              + tail.entryLength(entry)
              + " block length="
              + header.blockLength()
              + " records="
              + tail.entryRecords(entry)
              + " block records="
              + header.records()
              + " raw length="
              + tail.entryRawLength(entry)
              + " block raw length="
              + header.rawLength());
    }
    enterRun(tail.entryRun(entry));
    byte[] key = new byte[0];
    if (normalized) {
      if (header.sequence() != blocksInRun) {
        throw differ("block in its run", blocksInRun, "block sequence", header.sequence());
      }
      if (!header.encrypted()) {
        order.check(records.open(file.bytes(), block), header, this::countForSource);
        key = order.firstKey();
      }
    } else {
      checkRunIsSource(header);
    }
    blocksInRun++;
    if (!tail.keysEncrypted() && !Arrays.equals(key, tail.entryKey(entry))) {
      throw new CorruptFormatException(
          "key is not the first of the block: key="
              + RecordText.hex(tail.entryKey(entry))
              + " expected="
              + RecordText.hex(key));
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

  /** With the job's own comparator a run is an appended block. */
  private void checkRunIsSource(BlockHeader header) throws CorruptFormatException {
    if (blocksInRun != 0 || run >= tail.sources()) {
      throw differ("run", run, "sources", tail.sources());
    }
    boolean same =
        tail.sourceMap(run) == header.map()
            && tail.sourceAttempt(run) == header.attempt()
            && tail.sourceSequence(run) == header.sequence()
            && tail.sourceRecords(run) == header.records()
            && tail.sourceRawLength(run) == header.rawLength();
    if (!same) {
      throw new CorruptFormatException(
          "source and block differ: source="
              + run
              + " map="
              + tail.sourceMap(run)
              + " attempt="
              + tail.sourceAttempt(run)
              + " sequence="
              + tail.sourceSequence(run)
              + " found="
              + header);
    }
  }

  /** Void blocks and blocks that were appended again are not in the index; nothing else is not. */
  private void checkUnnamed() throws CorruptFormatException {
    for (PlacedBlock block : unnamed.values()) {
      if (!block.header().isVoid() && (normalized || !isSource(block.header()))) {
        throw new CorruptFormatException("block is not in the index: offset=" + block.offset());
      }
    }
  }

  private boolean isSource(BlockHeader header) {
    for (int source = 0; source < tail.sources(); source++) {
      if (tail.sourceMap(source) == header.map()
          && tail.sourceAttempt(source) == header.attempt()
          && tail.sourceSequence(source) == header.sequence()) {
        return source <= run;
      }
    }
    return false;
  }

  private void checkSourceCounts() throws CorruptFormatException {
    for (int source = 0; source < tail.sources(); source++) {
      if (sourceRecords[source] != tail.sourceRecords(source)
          || sourceBytes[source] != tail.sourceRawLength(source)) {
        throw new CorruptFormatException(
            "source table does not add up: source="
                + source
                + " records="
                + tail.sourceRecords(source)
                + " found records="
                + sourceRecords[source]
                + " raw length="
                + tail.sourceRawLength(source)
                + " found raw length="
                + sourceBytes[source]);
      }
    }
  }

  private static CorruptFormatException differ(
      String name, long value, String otherName, long otherValue) {
    return new CorruptFormatException(
        "numbers do not fit: " + name + "=" + value + " " + otherName + "=" + otherValue);
  }
}

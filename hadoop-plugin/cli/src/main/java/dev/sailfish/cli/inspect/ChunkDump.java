package dev.sailfish.cli.inspect;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexedBlockCursor;
import java.io.PrintWriter;

/** Prints what is in a chunk file, as far as it can be read: damage is told where it is met. */
public final class ChunkDump {
  private final ChunkFile file;
  private final PrintWriter out;
  private final BlockRecords records = new BlockRecords();
  private boolean good = true;

  /** A dump of {@code file} to {@code out}, which stays open. */
  public ChunkDump(ChunkFile file, PrintWriter out) {
    this.file = file;
    this.out = out;
  }

  /**
   * Prints header, blocks, tail and end.
   *
   * @param recordsPerBlock how many records of each block to print, at most
   * @return whether all of it could be read; {@link ChunkVerifier} checks more
   */
  public boolean print(int recordsPerBlock) {
    printHeader();
    out.println();
    if (file.isSorted() && file.header().ordering() == Ordering.NORMALIZED) {
      out.printf("%10s %-6s %9s", "offset", "codec", "sequence");
    } else {
      out.printf("%10s %-6s %9s %7s %8s", "offset", "codec", "map", "attempt", "sequence");
    }
    out.printf(" %9s %10s %10s  %s%n", "records", "raw", "stored", "checksum");
    for (PlacedBlock block : file.blocks()) {
      printBlock(block, recordsPerBlock);
    }
    if (file.tail() != null) {
      printSources(file.tail());
      printIndex(file.tail());
    }
    printEnd();
    out.flush();
    return good;
  }

  private void printHeader() {
    ChunkHeader header = file.header();
    out.println("file       " + file.path() + "  (" + file.bytes().capacity() + " bytes)");
    out.println("job        " + header.job());
    out.println("partition  " + header.partition());
    out.println("chunk      " + Long.toHexString(header.chunkId()));
    out.println("ordering   " + header.ordering());
    out.println("codec      " + header.codec().label() + " (of sorted blocks)");
    out.println(
        "encrypted  " + (header.encrypted() ? "yes: records and keys are not shown" : "no"));
    out.println("state      " + (file.isSorted() ? "SORTED" : "OPEN or STABLE"));
  }

  private void printBlock(PlacedBlock block, int limit) {
    BlockHeader header = block.header();
    String codec = header.isRun() ? "run" : header.codec().label();
    out.printf("%10d %-6s ", block.offset(), codec);
    if (header.isVoid()) {
      out.printf("%26s", "void block");
    } else if (header.tagged()) {
      out.printf("%9d", header.sequence());
    } else {
      out.printf("%9d %7d %8d", header.map(), header.attempt(), header.sequence());
    }
    out.printf(" %9d %10d %10d  ", header.records(), header.rawLength(), header.storedLength());
    try {
      records.check(file.bytes(), block);
      out.println("ok");
      if (limit > 0 && !header.encrypted()) {
        printRecords(block, limit);
      }
    } catch (FormatException e) {
      good = false;
      out.println(Verdict.describe("", e));
    }
  }

  private void printRecords(PlacedBlock block, int limit) throws FormatException {
    IndexedBlockCursor blocks = BlockRecords.blocksOf(file.bytes(), block);
    int printed = 0;
    while (printed < limit && blocks.next()) {
      printed += printRecordsOf(blocks.block(), limit - printed);
    }
  }

  private int printRecordsOf(PlacedBlock block, int limit) throws FormatException {
    RecordCursor cursor = records.open(file.bytes(), block);
    StringBuilder line = new StringBuilder();
    int printed = 0;
    while (printed < limit && cursor.next()) {
      printed++;
      line.setLength(0);
      line.append("           ");
      if (block.header().tagged()) {
        line.append('[').append(cursor.source()).append("] ");
      }
      RecordText.escape(line, cursor.buffer(), cursor.keyOffset(), cursor.keyLength());
      line.append('\t');
      RecordText.escape(line, cursor.buffer(), cursor.valueOffset(), cursor.valueLength());
      out.println(line);
    }
    return printed;
  }

  private void printSources(ChunkTail tail) {
    out.println();
    out.printf(
        "%10s %9s %7s %8s %9s %10s%s%n",
        "source", "map", "attempt", "sequence", "records", "raw", tail.isShared() ? "  chunk" : "");
    for (int source = 0; source < tail.sources(); source++) {
      out.printf(
          "%10d %9d %7d %8d %9d %10d%s%n",
          source,
          tail.sourceMap(source),
          tail.sourceAttempt(source),
          tail.sourceSequence(source),
          tail.sourceRecords(source),
          tail.sourceRawLength(source),
          tail.isShared() ? "  " + Long.toHexString(tail.sourceChunk(source, 0)) : "");
    }
  }

  private void printIndex(ChunkTail tail) {
    out.println();
    out.printf(
        "%10s %5s %10s %9s %10s %10s  %s%n",
        "entry", "run", "offset", "records", "raw", "length", "first key");
    StringBuilder key = new StringBuilder();
    for (int entry = 0; entry < tail.entries(); entry++) {
      key.setLength(0);
      byte[] bytes = tail.keysEncrypted() ? null : tail.entryKey(entry);
      if (bytes != null) {
        RecordText.escape(key, bytes, 0, bytes.length);
      }
      out.printf(
          "%10d %5d %10d %9d %10d %10d  %s%n",
          entry,
          tail.entryRun(entry),
          tail.entryOffset(entry),
          tail.entryRecords(entry),
          tail.entryRawLength(entry),
          tail.entryLength(entry),
          key);
    }
    out.println();
    out.printf(
        "tail       offset=%d runs=%d sources=%d entries=%d records=%d rawBytes=%d%n",
        tail.offset(),
        tail.runs(),
        tail.sources(),
        tail.entries(),
        tail.records(),
        tail.rawBytes());
  }

  private void printEnd() {
    out.println();
    out.println(
        "blocks     " + file.blocks().size() + ", the last one ends at " + file.blocksEnd());
    if (file.damage() != null) {
      good = false;
      out.println("damage     " + Verdict.describe("", file.damage()));
    }
    String trailing = ChunkVerifier.trailing(file);
    if (!trailing.isEmpty()) {
      out.println("behind     " + trailing.strip());
    }
  }
}

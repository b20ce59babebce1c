package dev.sailfish.cli.inspect;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.tail.ChunkTail;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Checks all of a chunk file: every checksum, every record boundary, the order within runs, and
 * that index and source table add up with the blocks. Stops at the first thing that is wrong. Of an
 * encrypted chunk, what can be checked without its job's key: all but the records and keys.
 */
public final class ChunkVerifier {
  private final ChunkFile file;
  private final BlockRecords records = new BlockRecords();
  private final Map<PlacedBlock, PlacedBlock> firstOfSource = new TreeMap<>(PlacedBlock.BY_SOURCE);
  private long recordCount;
  private long rawBytes;
  private int voids;
  private int repeated;

  /** What is checked now. */
  private Supplier<String> place = this::where;

  private ChunkVerifier(ChunkFile file) {
    this.file = file;
  }

  /**
   * Verifies a file.
   *
   * @throws IOException when it cannot be read; damage is a verdict
   */
  public static Verdict verify(Path path) throws IOException {
    try {
      ChunkVerifier verifier = new ChunkVerifier(ChunkFile.open(path));
      try {
        verifier.verify();
        return new Verdict(true, verifier.praise());
      } catch (FormatException e) {
        return Verdict.damaged(path, verifier.place.get(), e);
      }
    } catch (FormatException e) {
      return Verdict.damaged(path, e);
    }
  }

  private void verify() throws FormatException {
    for (PlacedBlock block : file.blocks()) {
      place = () -> placeOf(block);
      verifyBlock(block);
    }
    place = () -> where() + " good until offset=" + file.blocksEnd();
    if (file.damage() != null) {
      throw file.damage();
    }
    if (file.isSorted()) {
      place = () -> where() + " tail";
      new TailVerifier(file, records, at -> place = () -> where() + " tail: " + at).verify();
    }
  }

  /** What can be checked without the tail; the order of sorted records comes with the index. */
  private void verifyBlock(PlacedBlock block) throws FormatException {
    BlockHeader header = block.header();
    boolean normalized = file.header().ordering() == Ordering.NORMALIZED;
    boolean appended = !header.tagged() && header.map() >= 0 && header.attempt() >= 0;
    boolean mayBeSorted = file.isSorted() && normalized;
    boolean fits = header.encrypted() == (file.header().encrypted() && !header.isVoid());
    if (!fits
        || !(mayBeSorted ? header.tagged() && header.sorted() : appended || header.isVoid())) {
      throw new CorruptFormatException(
          "block does not belong into this chunk: sorted=%s ordering=%s encrypted=%s block=%s"
              .formatted(
                  file.isSorted(), file.header().ordering(), file.header().encrypted(), header));
    }
    if (header.isVoid()) {
      voids++;
    } else if (!header.tagged() && isRepeated(block)) {
      repeated++;
    } else {
      recordCount += header.records();
      rawBytes += header.rawLength();
    }
    records.check(file.bytes(), block);
  }

  private boolean isRepeated(PlacedBlock block) throws CorruptFormatException {
    PlacedBlock first = firstOfSource.putIfAbsent(block, block);
    if (first != null && !first.header().equals(block.header())) {
      throw new CorruptFormatException(
          "two different blocks have one identity: other offset=%d checksum=%x other checksum=%x"
              .formatted(
                  first.offset(),
                  block.header().storedChecksum(),
                  first.header().storedChecksum()));
    }
    return first != null;
  }

  private String placeOf(PlacedBlock block) {
    BlockHeader header = block.header();
    String who =
        header.tagged() || header.isVoid()
            ? ""
            : " map=" + header.map() + " attempt=" + header.attempt();
    return "%s block=%d offset=%d%s sequence=%d"
        .formatted(where(), file.blocks().indexOf(block), block.offset(), who, header.sequence());
  }

  private String where() {
    ChunkHeader header = file.header();
    return "job=%s partition=%d chunk=%x"
        .formatted(header.job(), header.partition(), header.chunkId());
  }

  private String praise() {
    StringBuilder line = new StringBuilder("good: ").append(file.path()).append(": ");
    line.append(file.isSorted() ? "SORTED " : "OPEN or STABLE ").append(where());
    line.append(" blocks=").append(file.blocks().size());
    line.append(" records=").append(recordCount).append(" rawBytes=").append(rawBytes);
    ChunkTail tail = file.tail();
    if (tail != null) {
      line.append(" runs=").append(tail.runs()).append(" sources=").append(tail.sources());
    }
    line.append(file.header().encrypted() ? " encrypted (records not looked at)" : "");
    line.append(voids == 0 ? "" : " voidBlocks=" + voids);
    line.append(repeated == 0 ? "" : " repeatedBlocks=" + repeated);
    return line.append(trailing(file)).toString();
  }

  /** What is behind the chunk, as a part of a sentence; empty when nothing is. */
  static String trailing(ChunkFile file) {
    if (file.trailingBytes() == 0) {
      return "";
    }
    String what =
        file.trailingZeros()
            ? " (zeros: room)"
            : " (not zero: leftovers of an earlier chunk, or what was lost of this one)";
    return " trailingBytes=" + file.trailingBytes() + what;
  }
}

package dev.sailfish.lineage.worker.block;

import dev.sailfish.lineage.protocol.wire.BlockName;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a block among all of any time.
 *
 * @param fid of its file
 * @param block which one of the file's it is, from 0
 */
public record BlockId(long fid, int block) implements Comparable<BlockId> {
  private static final Pattern SEGMENT = Pattern.compile("([0-9a-f]{16})-([0-9]{1,9})");

  /** That of a message. */
  public static BlockId of(BlockName name) {
    return new BlockId(name.getFid(), name.getBlock());
  }

  /** The block in a segment of this name; empty when there is none. */
  static Optional<BlockId> ofSegment(String segment) {
    Matcher name = SEGMENT.matcher(segment);
    return name.matches()
        ? Optional.of(
            new BlockId(Long.parseUnsignedLong(name.group(1), 16), Integer.parseInt(name.group(2))))
        : Optional.empty();
  }

  /** The name of its segment. */
  String segment() {
    return HexFormat.of().toHexDigits(fid) + "-" + block;
  }

  @Override
  public int compareTo(BlockId other) {
    int byFile = Long.compare(fid, other.fid);
    return byFile == 0 ? Integer.compare(block, other.block) : byFile;
  }

  @Override
  public String toString() {
    return "fid=%016x block=%d".formatted(fid, block);
  }
}

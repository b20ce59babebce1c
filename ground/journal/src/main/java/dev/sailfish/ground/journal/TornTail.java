package dev.sailfish.ground.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a log whose process or machine ended in the middle of a write. What is torn there was
 * never acknowledged, so the log goes on without it. Raft leaves out an entry that the end of the
 * file cuts, unless it cuts the entry's length; and it takes zeros for damage.
 *
 * <pre>
 * +--------------+---------------------------------------------+-----+
 * | RaftLog1 (8) | length (varint) | entry | CRC32C of both (4) | ... | zeros, prepared for more
 * +--------------+---------------------------------------------+-----+
 * </pre>
 *
 * <p>Torn is a frame that the end of the file cuts, or whose last sectors are zeros, with nothing
 * behind it. Any other one that is not as it was written is damaged: it may have been acknowledged.
 */
final class TornTail {
  private static final Logger LOG = LoggerFactory.getLogger(TornTail.class);
  private static final String OPEN = "log_inprogress_";
  private static final int HEADER_BYTES = 8;
  private static final int CHECKSUM_BYTES = 4;

  /** A disk writes so much at a time, or a multiple of it. */
  private static final int SECTOR_BYTES = 512;

  private static final int LONGEST_VARINT = 5;

  /** An entry begins with its term, field 1 of its message. */
  private static final byte FIRST_OF_ENTRY = 0x08;

  private TornTail() {}

  /** Whether a file of the log is written to. */
  static boolean isOpen(Path log) {
    return log.getFileName().toString().startsWith(OPEN);
  }

  /** Takes it off the files that are being written to, before Raft reads them. */
  static void cut(Path raft) throws IOException {
    if (!Files.isDirectory(raft)) {
      return;
    }
    List<Path> open;
    try (Stream<Path> paths = Files.walk(raft)) {
      open = paths.filter(TornTail::isOpen).toList();
    }
    for (Path log : open) {
      OptionalInt torn = find(log);
      if (torn.isPresent()) {
        truncate(log, torn.getAsInt());
      }
    }
  }

  private static void truncate(Path log, int position) throws IOException {
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
      channel.truncate(position);
      channel.force(true);
    }
    LOG.warn(
        "the last entry was never written whole, it is left out: file={} at={}", log, position);
  }

  /**
   * Where the frame begins that is torn, if one is. Nothing is changed.
   *
   * @param log the file
   * @throws IOException when one is damaged
   */
  static OptionalInt find(Path log) throws IOException {
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ)) {
      return find(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()), log);
    }
  }

  /** The same, of all bytes of the file. */
  static OptionalInt find(ByteBuffer log, Path file) throws IOException {
    int written = log.limit();
    while (written > 0 && log.get(written - 1) == 0) {
      written--;
    }
    int frame = HEADER_BYTES;
    while (frame < written) {
      long end = end(log, frame);
      if (!isWhole(log, frame, end)) {
        boolean isCut = end > log.limit() || end > startOfSectorBehind(written);
        if (!isCut || isFollowed(log, frame, written)) {
          throw new IOException("an entry is damaged: file=" + file + " at=" + frame);
        }
        return OptionalInt.of(frame);
      }
      frame = (int) end;
    }
    return OptionalInt.empty();
  }

  /** Whether there is a whole frame somewhere behind one that is not. */
  private static boolean isFollowed(ByteBuffer log, int frame, int written) {
    for (int i = frame + 1; i < written; i++) {
      int body = body(log, i);
      if (body > 0 && body < written && log.get(body) == FIRST_OF_ENTRY) {
        if (isWhole(log, i, end(log, i))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Where a frame's length ends; -1 when the file ends before. */
  private static int body(ByteBuffer log, int frame) {
    for (int i = frame; i < log.limit(); i++) {
      if (log.get(i) >= 0 || i == frame + LONGEST_VARINT - 1) {
        return i + 1;
      }
    }
    return -1;
  }

  /** Where a frame ends by its length; behind all when that is not there. */
  private static long end(ByteBuffer log, int frame) {
    int body = body(log, frame);
    if (body < 0) {
      return Long.MAX_VALUE;
    }
    long length = 0;
    for (int i = frame; i < body; i++) {
      length |= (log.get(i) & 0x7FL) << (7 * (i - frame));
    }
    return body + length + CHECKSUM_BYTES;
  }

  private static boolean isWhole(ByteBuffer log, int frame, long end) {
    if (end > log.limit()) {
      return false;
    }
    int checksumAt = (int) end - CHECKSUM_BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(log.duplicate().position(frame).limit(checksumAt));
    return log.getInt(checksumAt) == (int) checksum.getValue();
  }

  private static long startOfSectorBehind(int written) {
    return (written + SECTOR_BYTES - 1L) / SECTOR_BYTES * SECTOR_BYTES;
  }
}

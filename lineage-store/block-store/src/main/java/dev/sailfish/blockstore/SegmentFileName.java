package dev.sailfish.blockstore;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a store's files; nobody else builds or parses one. A segment's name never holds a
 * {@code '+'}, so ours cannot clash with it:
 *
 * <pre>
 *   NAME                            a segment that is being written
 *   NAME+seal-LENGTH-CRC            a sealed segment: length in decimal, CRC32C in 8 hex digits or "none"
 *   +free-N                         no segment: pooled for reuse, or deleted and still being read
 *   +lock                           held by the store that has the directory open
 * </pre>
 *
 * The seal is in the name and not in a file of its own because a rename is atomic, takes no page of
 * a full tier and cannot be separated from the content.
 */
record SegmentFileName(Kind kind, String segment, long length, OptionalInt checksum) {
  enum Kind {
    OPEN,
    SEALED,
    FREE,
    LOCK,
    FOREIGN
  }

  static final String LOCK = "+lock";

  private static final String FREE_PREFIX = "+free-";
  private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9._~-]{1,120}");
  private static final Pattern SEALED =
      Pattern.compile("([A-Za-z0-9._~-]{1,120})\\+seal-([0-9]{1,10})-([0-9a-f]{8}|none)");

  static String open(String segment) {
    return segment;
  }

  static String sealed(String segment, long length, OptionalInt checksum) {
    String crc = checksum.isPresent() ? String.format("%08x", checksum.getAsInt()) : "none";
    return segment + "+seal-" + length + "-" + crc;
  }

  static String free(long number) {
    return FREE_PREFIX + number;
  }

  static SegmentFileName parse(String fileName) {
    if (fileName.equals(LOCK)) {
      return of(Kind.LOCK, fileName);
    }
    if (fileName.startsWith(FREE_PREFIX)) {
      return of(Kind.FREE, fileName);
    }
    if (isSegmentName(fileName)) {
      return of(Kind.OPEN, fileName);
    }
    Matcher sealed = SEALED.matcher(fileName);
    if (!sealed.matches() || !isSegmentName(sealed.group(1))) {
      return of(Kind.FOREIGN, fileName);
    }
    String crc = sealed.group(3);
    OptionalInt checksum =
        crc.equals("none")
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseUnsignedInt(crc, 16));
    return new SegmentFileName(
        Kind.SEALED, sealed.group(1), Long.parseLong(sealed.group(2)), checksum);
  }

  static void requireSegmentName(String name) {
    if (!isSegmentName(name)) {
      throw new IllegalArgumentException(
          "segment name=" + name + " must match [A-Za-z0-9._~-]{1,120} and not be \".\" or \"..\"");
    }
  }

  private static boolean isSegmentName(String name) {
    return SEGMENT.matcher(name).matches() && !name.equals(".") && !name.equals("..");
  }

  private static SegmentFileName of(Kind kind, String name) {
    return new SegmentFileName(kind, name, 0, OptionalInt.empty());
  }
}

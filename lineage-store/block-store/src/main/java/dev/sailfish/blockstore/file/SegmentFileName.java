package dev.sailfish.blockstore.file;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names of a store's files; nobody else builds or parses one. They say everything that must
 * outlive a process:
 *
 * <pre>
 *   NAME@OWNER                      a segment that is being written
 *   NAME@OWNER+lent-0-none          one that another process writes: its file is never cut or used
 *                                   again before it is sealed, only unlinked
 *   NAME@OWNER+seal-LENGTH-CRC      a sealed segment
 *   NAME@OWNER+shared-LENGTH-CRC    one whose path was given to other processes: its file is never
 *                                   written, cut or used again, only unlinked
 *   NAME@OWNER+copy-LENGTH-CRC      a whole copy in another tier, on its way to replace the sealed
 *                                   segment; it counts only when that is not there any more
 *   +free-N                         no segment: pooled for reuse, being copied to, or deleted and
 *                                   still being read
 *   +lock                           held by the store that has the directory open
 *
 *   NAME     120 of A-Z a-z 0-9 . _ ~ -    not "." or ".."
 *   OWNER    16 of a-z 0-9                 who the segment belongs to
 *   LENGTH   in decimal, bytes
 *   CRC      CRC32C of the content in 8 hex digits, or "none"
 * </pre>
 *
 * Before there were owners, {@code @OWNER} was not there: such files are the chunkserver's. The
 * seal is in the name and not in a file of its own because a rename is atomic, takes no page of a
 * full tier and cannot be separated from the content.
 *
 * @param owner empty when the file is no segment
 * @param segment the NAME; of no segment the whole file name
 * @param length 0 of what is not sealed
 */
public record SegmentFileName(
    Kind kind, String owner, String segment, long length, OptionalInt checksum) {
  /** What a file is. */
  public enum Kind {
    /** Being written. */
    OPEN(""),
    /** Being written by another process. */
    LENT("+lent-"),
    /** Sealed. */
    SEALED("+seal-"),
    /** Sealed, and known to other processes. */
    SHARED("+shared-"),
    /** Copied, and maybe not needed. */
    COPY("+copy-"),
    /** Of no segment. */
    FREE("+free-"),
    /** The lock. */
    LOCK("+lock"),
    /** Not a file of the store. */
    FOREIGN("");

    private final String mark;

    Kind(String mark) {
      this.mark = mark;
    }
  }

  static final String LOCK = Kind.LOCK.mark;

  private static final Kind[] KINDS = Kind.values();

  private static final String FIRST_OWNER = "chunkserver";
  private static final String NAME = "[A-Za-z0-9._~-]{1,120}";
  private static final Pattern SEGMENT = Pattern.compile("(?!\\.\\.?$)" + NAME);
  private static final Pattern OWNER = Pattern.compile("[a-z0-9]{1,16}");
  private static final Pattern FILE =
      Pattern.compile(
          String.format(
              "(%s)(?:@(%s))?(?:(\\+(?:lent|seal|shared|copy)-)([0-9]{1,10})-([0-9a-f]{8}|none))?",
              NAME, OWNER));

  /** The name of a segment's file before it is sealed. */
  public static SegmentFileName open(String owner, String segment) {
    return new SegmentFileName(Kind.OPEN, owner, segment, 0, OptionalInt.empty());
  }

  /** The name of the same segment's file once it is sealed. */
  public SegmentFileName sealed(long length, OptionalInt checksum) {
    return new SegmentFileName(Kind.SEALED, owner, segment, length, checksum);
  }

  /** Whether it is a segment that is being written. */
  public boolean isOpen() {
    return kind == Kind.OPEN || kind == Kind.LENT;
  }

  /** The same with another kind. */
  public SegmentFileName as(Kind kind) {
    return new SegmentFileName(kind, owner, segment, length, checksum);
  }

  /** The name of a file that is of no segment. */
  public static String free(long number) {
    return Kind.FREE.mark + number;
  }

  /** The file's name in its directory. */
  public String fileName() {
    String name = segment + "@" + owner;
    if (kind == Kind.OPEN) {
      return name;
    }
    String crc = checksum.isPresent() ? String.format("%08x", checksum.getAsInt()) : "none";
    return name + kind.mark + length + "-" + crc;
  }

  /** Takes a file's name apart. */
  public static SegmentFileName parse(String fileName) {
    if (fileName.equals(LOCK)) {
      return ofNoSegment(Kind.LOCK, fileName);
    }
    if (fileName.startsWith(Kind.FREE.mark)) {
      return ofNoSegment(Kind.FREE, fileName);
    }
    Matcher file = FILE.matcher(fileName);
    if (!file.matches() || !SEGMENT.matcher(file.group(1)).matches()) {
      return ofNoSegment(Kind.FOREIGN, fileName);
    }
    String owner = file.group(2) == null ? FIRST_OWNER : file.group(2);
    SegmentFileName name = open(owner, file.group(1));
    if (file.group(3) == null) {
      return name;
    }
    OptionalInt checksum =
        file.group(5).equals("none")
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseUnsignedInt(file.group(5), 16));
    Stream<Kind> kinds = Stream.of(Kind.values()).filter(kind -> kind.mark.equals(file.group(3)));
    return name.sealed(Long.parseLong(file.group(4)), checksum).as(kinds.findFirst().orElseThrow());
  }

  /** What a file is whose name was made here; of other names {@link #parse} tells more. */
  public static Kind kindOf(String fileName) {
    int mark = fileName.indexOf('+');
    for (Kind kind : KINDS) {
      if (mark >= 0 && !kind.mark.isEmpty() && fileName.startsWith(kind.mark, mark)) {
        return kind;
      }
    }
    return Kind.OPEN;
  }

  private static SegmentFileName ofNoSegment(Kind kind, String name) {
    return new SegmentFileName(kind, "", name, 0, OptionalInt.empty());
  }

  /**
   * Checks a segment's name.
   *
   * @throws IllegalArgumentException naming it and what is allowed
   */
  public static void requireSegmentName(String name) {
    if (!SEGMENT.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "segment name=" + name + " must match " + NAME + " and not be \".\" or \"..\"");
    }
  }

  /**
   * Checks an owner's name.
   *
   * @throws IllegalArgumentException naming it and what is allowed
   */
  public static void requireOwnerName(String owner) {
    if (!OWNER.matcher(owner).matches()) {
      throw new IllegalArgumentException("owner=" + owner + " must match " + OWNER);
    }
  }
}

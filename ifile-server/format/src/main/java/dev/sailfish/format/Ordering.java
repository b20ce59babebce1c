package dev.sailfish.format;

/** Who knows the order of the keys of an I-file (DESIGN.md §4, invariant 4). */
public enum Ordering {
  /**
   * Keys are stored in normalized form ({@code KeyEncoding}): their order is the unsigned byte
   * order, a proper prefix first. The chunksorter sorts them.
   */
  NORMALIZED(1),
  /**
   * Only the job's comparator knows. Every appended block is sorted by the iappender and is a run
   * of its own; servers copy first keys to the index and never compare any.
   */
  COMPARATOR(2);

  private final int code;

  Ordering(int code) {
    this.code = code;
  }

  /** The code on the wire and on disk. */
  public int code() {
    return code;
  }

  /**
   * The ordering with this code.
   *
   * @throws UnsupportedFormatException when no ordering has it
   */
  public static Ordering ofCode(int code) throws UnsupportedFormatException {
    return switch (code) {
      case 1 -> NORMALIZED;
      case 2 -> COMPARATOR;
      default ->
          UnsupportedFormatException.unknown(
              "ordering: code=" + code + " known=1 (normalized), 2 (comparator)");
    };
  }
}

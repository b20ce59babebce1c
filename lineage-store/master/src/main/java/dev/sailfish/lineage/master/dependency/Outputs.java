package dev.sailfish.lineage.master.dependency;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * The outputs of one dependency, in their order. Immutable: a change makes another object, which
 * shares all pages but one, so that a record with many outputs grows at the cost of a page.
 *
 * <pre>
 *   an output in a page:   fid:64   block size:6 length:58   index:32 checksum:32   file:32 flags:32
 *   block size:            log2 of that of one that was deleted; 0: it is not known
 *   flags:                 state, | 40 of a map, | 80 with a checksum
 * </pre>
 */
final class Outputs {
  private static final int HAS_CHECKSUM = 0x80;
  private static final int IS_MAP = 0x40;
  private static final int STATE = 0x3f;

  private static final int LENGTH_BITS = 58;

  private static final int WORDS = 4;
  private static final int PER_PAGE = 64;
  private static final int LENGTH = 1;
  private static final int INDEX_CHECKSUM = 2;
  private static final int FILE_FLAGS = 3;
  private static final Outputs NONE = new Outputs(new long[0][], 0);

  private final long[][] pages;
  private final int size;

  private Outputs(long[][] pages, int size) {
    this.pages = pages;
    this.size = size;
  }

  static Outputs of(List<Output> all) {
    int size = all.size();
    long[][] pages = new long[(size + PER_PAGE - 1) / PER_PAGE][];
    for (int page = 0; page < pages.length; page++) {
      pages[page] = new long[WORDS * Math.min(PER_PAGE, size - page * PER_PAGE)];
    }
    for (int at = 0; at < size; at++) {
      set(pages[at / PER_PAGE], at, all.get(at));
    }
    return size == 0 ? NONE : new Outputs(pages, size);
  }

  private static void set(long[] page, int at, Output output) {
    int word = at % PER_PAGE * WORDS;
    int flags = output.state().ordinal();
    flags |= output.checksum().isPresent() ? HAS_CHECKSUM : 0;
    flags |= output.part().isMap() ? IS_MAP : 0;
    page[word] = output.fid();
    page[word + LENGTH] = page[word + LENGTH] >>> LENGTH_BITS << LENGTH_BITS | output.length();
    page[word + INDEX_CHECKSUM] = joined(output.part().index(), output.checksum().orElse(0));
    page[word + FILE_FLAGS] = joined(output.part().file(), flags);
  }

  private static long joined(int high, int low) {
    return (long) high << Integer.SIZE | Integer.toUnsignedLong(low);
  }

  private long word(int at, int word) {
    return pages[at / PER_PAGE][at % PER_PAGE * WORDS + word];
  }

  private static int high(long word) {
    return (int) (word >>> Integer.SIZE);
  }

  int size() {
    return size;
  }

  long fid(int at) {
    return word(at, 0);
  }

  OutputState state(int at) {
    return OutputState.of((int) word(at, FILE_FLAGS) & STATE);
  }

  Output get(int at) {
    long sum = word(at, INDEX_CHECKSUM);
    long end = word(at, FILE_FLAGS);
    return new Output(
        fid(at),
        new Part((end & IS_MAP) != 0, high(sum), high(end)),
        state(at),
        word(at, LENGTH) & (1L << LENGTH_BITS) - 1,
        (end & HAS_CHECKSUM) != 0 ? OptionalInt.of((int) sum) : OptionalInt.empty());
  }

  int blockSizeLog(int at) {
    return (int) (word(at, LENGTH) >>> LENGTH_BITS);
  }

  /** The same with the block size of one. */
  Outputs withBlockSize(int at, int blockSizeLog) {
    Outputs next = with(at, get(at));
    int word = at % PER_PAGE * WORDS + LENGTH;
    next.pages[at / PER_PAGE][word] |= (long) blockSizeLog << LENGTH_BITS;
    return next;
  }

  /** The same with another one at a place. */
  Outputs with(int at, Output output) {
    long[][] changed = pages.clone();
    long[] page = pages[at / PER_PAGE].clone();
    set(page, at, output);
    changed[at / PER_PAGE] = page;
    return new Outputs(changed, size);
  }

  /** The same and one more. */
  Outputs plus(Output output) {
    int last = size / PER_PAGE;
    int words = size % PER_PAGE * WORDS;
    long[][] grown = Arrays.copyOf(pages, last + 1);
    grown[last] = words == 0 ? new long[WORDS] : Arrays.copyOf(pages[last], words + WORDS);
    set(grown[last], size, output);
    return new Outputs(grown, size + 1);
  }

  /** Writes outputs:4 { fid:8 index:4 flags:1 block size and length:8 checksum:4 file:4 }. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(size);
    for (int at = 0; at < size; at++) {
      long sum = word(at, INDEX_CHECKSUM);
      long end = word(at, FILE_FLAGS);
      out.writeLong(fid(at));
      out.writeInt(high(sum));
      out.writeByte((int) end);
      out.writeLong(word(at, LENGTH));
      out.writeInt((int) sum);
      out.writeInt(high(end));
    }
  }

  /**
   * @param id of the dependency, for errors
   * @param hasFiles whether it is said which file of its part each one is
   */
  static Outputs read(DataInputStream in, long id, boolean hasFiles) throws IOException {
    int size = in.readInt();
    List<Output> all = new ArrayList<>();
    for (int at = 0; at < size; at++) {
      long fid = in.readLong();
      int index = in.readInt();
      int flags = in.readUnsignedByte();
      OutputState state = OutputState.of(flags & STATE);
      long length = in.readLong(); // with the block size, which is kept so
      int checksum = in.readInt();
      Part part = new Part((flags & IS_MAP) != 0, index, hasFiles ? in.readInt() : 0);
      if (state == null) {
        throw new IOException("snapshot is damaged: dependency=" + id + " state=" + flags);
      }
      boolean hasChecksum = (flags & HAS_CHECKSUM) != 0;
      OptionalInt sum = hasChecksum ? OptionalInt.of(checksum) : OptionalInt.empty();
      all.add(new Output(fid, part, state, length, sum));
    }
    return of(all);
  }
}

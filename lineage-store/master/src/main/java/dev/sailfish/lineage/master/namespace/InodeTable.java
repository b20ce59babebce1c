package dev.sailfish.lineage.master.namespace;

import dev.sailfish.ground.journal.Freeze;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * All files and directories, each in a slot of its own, without an object for any but its name. A
 * slot that becomes free is used again after all others that were free before it: that a peer which
 * applies the same changes gives the same ids does not depend on when it was started.
 *
 * <pre>
 *   word 0   0:1  generation:31                    parent:32, or the next free slot
 *   word 1   modified:44, ms   kind:2   mode:12    0:6
 *   word 2   length:64, bytes
 *   word 3   owner:24   group:24   log2 of the block size:6   0:10
 * </pre>
 *
 * <p>Slots lie in pages. While a snapshot is being written, the first change of a page copies it,
 * so that the snapshot costs nothing to begin and takes at most one more table of memory. For one
 * thread, but for a {@link Image}.
 */
final class InodeTable {
  /** The slot of the root directory. */
  static final int ROOT = 0;

  /** In place of a slot: there is none. */
  static final int NONE = -1;

  /** The last time that the table can hold. */
  static final long LAST_MS = (1L << 44) - 1;

  /** What is in a slot; the ordinal is in the table. */
  enum Kind {
    FREE,
    DIRECTORY,
    WRITING,
    COMPLETE
  }

  static final int PAGE = 512;
  private static final int WORDS = 4;
  private static final Kind[] KINDS = Kind.values();

  private static final Field GENERATION = new Field(0, 32, 31);
  private static final Field PARENT = new Field(0, 0, 32);
  private static final Field MODIFIED = new Field(1, 20, 44);
  private static final Field KIND = new Field(1, 18, 2);
  private static final Field MODE = new Field(1, 6, 12);
  private static final Field LENGTH = new Field(2, 0, 64);
  private static final Field OWNER = new Field(3, 40, 24);
  private static final Field GROUP = new Field(3, 16, 24);
  private static final Field BLOCK_SIZE_LOG = new Field(3, 10, 6);

  /** Some bits of one word of a slot. */
  private record Field(int word, int shift, int bits) {
    private long mask() {
      return -1L >>> (Long.SIZE - bits);
    }

    long get(long[] words, int index) {
      return words[index * WORDS + word] >>> shift & mask();
    }

    void set(long[] words, int index, long value) {
      if ((value & ~mask()) != 0) {
        throw new IllegalArgumentException("does not fit: value=" + value + " bits=" + bits);
      }
      int at = index * WORDS + word;
      words[at] = words[at] & ~(mask() << shift) | value << shift;
    }
  }

  /** Never changed by the table once a snapshot that began after {@code since} has it. */
  private record Page(long[] words, byte[][] names, int since) {
    Page(int since) {
      this(new long[PAGE * WORDS], new byte[PAGE][], since);
    }

    Page copy(int number) {
      return new Page(words.clone(), names.clone(), number);
    }
  }

  private final Freeze freeze;
  private Page[] pages = new Page[1];
  private int slots; // that were ever used
  private int firstFree = NONE;
  private int lastFree = NONE;

  /** An empty table. */
  InodeTable(Freeze freeze) {
    this.freeze = freeze;
  }

  /** How many slots were ever used: all are below this. */
  int slots() {
    return slots;
  }

  /** A slot for a new file or directory, with a generation that it never had. */
  int allocate(Kind kind) {
    int slot = firstFree;
    if (slot == NONE) {
      slot = Math.addExact(slots, 1) - 1;
      makeRoom(slot);
      slots++;
    } else {
      firstFree = (int) get(PARENT, slot);
      lastFree = firstFree == NONE ? NONE : lastFree;
    }
    set(GENERATION, slot, get(GENERATION, slot) + 1);
    set(KIND, slot, kind.ordinal());
    return slot;
  }

  private void makeRoom(int slot) {
    int page = slot / PAGE;
    if (page == pages.length) {
      pages = Arrays.copyOf(pages, page + Math.max(1, page / 4));
    }
    if (pages[page] == null) {
      pages[page] = new Page(freeze.number());
    }
  }

  /** Nothing is in this slot any more. */
  void free(int slot) {
    long generation = get(GENERATION, slot);
    Page page = mutable(slot);
    Arrays.fill(page.words, slot % PAGE * WORDS, (slot % PAGE + 1) * WORDS, 0);
    page.names[slot % PAGE] = null;
    GENERATION.set(page.words, slot % PAGE, generation);
    setParent(slot, NONE);
    if (generation == Fid.LAST_GENERATION) {
      return;
    }
    if (lastFree == NONE) {
      firstFree = slot;
    } else {
      setParent(lastFree, slot);
    }
    lastFree = slot;
  }

  /** The slot of the file or directory with this id, or {@link #NONE}. */
  int find(long fid) {
    int slot = Fid.slot(fid);
    boolean isThere = slot >= 0 && slot < slots && kind(slot) != Kind.FREE && fid(slot) == fid;
    return isThere ? slot : NONE;
  }

  long fid(int slot) {
    return Fid.of((int) get(GENERATION, slot), slot);
  }

  Kind kind(int slot) {
    return KINDS[(int) get(KIND, slot)];
  }

  void setKind(int slot, Kind kind) {
    set(KIND, slot, kind.ordinal());
  }

  boolean isDirectory(int slot) {
    return kind(slot) == Kind.DIRECTORY;
  }

  /** The directory that it is in, or {@link #NONE}. */
  int parent(int slot) {
    return (int) get(PARENT, slot);
  }

  void setParent(int slot, int parent) {
    set(PARENT, slot, Integer.toUnsignedLong(parent));
  }

  /** The table's own: not to be changed. */
  byte[] name(int slot) {
    return pages[slot / PAGE].names[slot % PAGE];
  }

  /**
   * @param name belongs to the table from here on
   */
  void setName(int slot, byte[] name) {
    mutable(slot).names[slot % PAGE] = name;
  }

  long modifiedMs(int slot) {
    return get(MODIFIED, slot);
  }

  void setModifiedMs(int slot, long ms) {
    set(MODIFIED, slot, ms);
  }

  int mode(int slot) {
    return (int) get(MODE, slot);
  }

  void setMode(int slot, int mode) {
    set(MODE, slot, mode);
  }

  long length(int slot) {
    return get(LENGTH, slot);
  }

  void setLength(int slot, long bytes) {
    set(LENGTH, slot, bytes);
  }

  int owner(int slot) {
    return (int) get(OWNER, slot);
  }

  void setOwner(int slot, int owner) {
    set(OWNER, slot, owner);
  }

  int group(int slot) {
    return (int) get(GROUP, slot);
  }

  void setGroup(int slot, int group) {
    set(GROUP, slot, group);
  }

  int blockSizeLog(int slot) {
    return (int) get(BLOCK_SIZE_LOG, slot);
  }

  void setBlockSizeLog(int slot, int log) {
    set(BLOCK_SIZE_LOG, slot, log);
  }

  private long get(Field field, int slot) {
    return field.get(pages[slot / PAGE].words, slot % PAGE);
  }

  private void set(Field field, int slot, long value) {
    field.set(mutable(slot).words, slot % PAGE, value);
  }

  private Page mutable(int slot) {
    Page page = pages[slot / PAGE];
    if (freeze.concerns(page.since)) {
      page = page.copy(freeze.number());
      pages[slot / PAGE] = page;
    }
    return page;
  }

  /** The table as it is now, until the freeze ends. */
  Image image() {
    return new Image(pages.clone(), slots, firstFree, lastFree);
  }

  /**
   * A table as it was. Written as
   *
   * <pre>
   *   slots:4 first free slot:4 last free slot:4    { word:8 × 4   length of the name:1   name } × slots
   * </pre>
   */
  static final class Image {
    private final Page[] pages;
    private final int slots;
    private final int firstFree;
    private final int lastFree;
    private int next;

    private Image(Page[] pages, int slots, int firstFree, int lastFree) {
      this.pages = pages;
      this.slots = slots;
      this.firstFree = firstFree;
      this.lastFree = lastFree;
    }

    void writeHead(DataOutputStream out) throws IOException {
      out.writeInt(slots);
      out.writeInt(firstFree);
      out.writeInt(lastFree);
    }

    /** Writes the next page, if there is one, and returns whether there is more. */
    boolean writePage(DataOutputStream out) throws IOException {
      int end = Math.min(slots, next + PAGE);
      for (; next < end; next++) {
        Page page = pages[next / PAGE];
        int index = next % PAGE;
        for (int word = 0; word < WORDS; word++) {
          out.writeLong(page.words[index * WORDS + word]);
        }
        byte[] name = page.names[index];
        out.writeByte(name == null ? 0 : name.length);
        if (name != null) {
          out.write(name);
        }
      }
      return next < slots;
    }
  }

  /**
   * Reads what an {@link Image} wrote into this table, which must be empty.
   *
   * @throws IOException when that is damaged
   */
  void read(DataInputStream in) throws IOException {
    int count = in.readInt();
    firstFree = in.readInt();
    lastFree = in.readInt();
    for (; slots < count; slots++) {
      makeRoom(slots);
      Page page = pages[slots / PAGE];
      int index = slots % PAGE;
      for (int word = 0; word < WORDS; word++) {
        page.words[index * WORDS + word] = in.readLong();
      }
      byte[] name = in.readNBytes(in.readUnsignedByte());
      page.names[index] = kind(slots) == Kind.FREE ? null : name;
    }
    boolean isRooted = slots > 0 && isDirectory(ROOT);
    if (!isRooted || firstFree >= slots || lastFree >= slots || (firstFree < 0) != (lastFree < 0)) {
      throw new IOException(
          "table of files is damaged: slots=%d firstFree=%d lastFree=%d root=%b"
              .formatted(slots, firstFree, lastFree, isRooted));
    }
  }
}

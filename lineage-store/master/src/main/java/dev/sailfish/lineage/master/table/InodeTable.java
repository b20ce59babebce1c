package dev.sailfish.lineage.master.table;

import dev.sailfish.ground.journal.Freeze;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.IntFunction;

/**
 * All files and directories, each in a slot of its own, without an object for any but its name. A
 * slot that becomes free is used again after all others that were free before it: that a peer which
 * applies the same changes gives the same ids does not depend on when it was started.
 *
 * <pre>
 *   word 0   0:1  generation:31                    parent:32, or the next free slot
 *   word 1   modified:44, ms   kind:2   mode:12   0:4   summed:1   pinned:1
 *   word 2   length:64, bytes
 *   word 3   owner:24   group:24   log2 of the block size:6   0:10
 *   word 4   first row in the table of copies:32   checksum:32, where summed
 * </pre>
 *
 * Beside the words a slot has a name, and may have a note of what is below in an under store: bytes
 * that the table does not interpret.
 */
public final class InodeTable {
  /** The slot of the root directory. */
  public static final int ROOT = 0;

  /** In place of a slot: there is none. */
  public static final int NONE = -1;

  /** The last time that the table can hold. */
  public static final long LAST_MS = (1L << 44) - 1;

  /** Of a note, in bytes. */
  public static final int LONGEST_NOTE = 0xffff;

  /** What is in a slot; the ordinal is in the table. */
  public enum Kind {
    /** Nothing. */
    FREE,
    /** A directory. */
    DIRECTORY,
    /** A file that its writer has not completed. */
    WRITING,
    /** A file that does not change any more. */
    COMPLETE
  }

  private static final int WORDS = 5;
  private static final Kind[] KINDS = Kind.values();

  private static final Field GENERATION = new Field(0, 32, 31);
  private static final Field PARENT = new Field(0, 0, 32);
  private static final Field MODIFIED = new Field(1, 20, 44);
  private static final Field KIND = new Field(1, 18, 2);
  private static final Field MODE = new Field(1, 6, 12);
  private static final Field SUMMED = new Field(1, 1, 1);
  private static final Field PINNED = new Field(1, 0, 1);
  private static final Field LENGTH = new Field(2, 0, 64);
  private static final Field OWNER = new Field(3, 40, 24);
  private static final Field GROUP = new Field(3, 16, 24);
  private static final Field BLOCK_SIZE_LOG = new Field(3, 10, 6);
  private static final Field FIRST_COPY = new Field(4, 32, 32);
  private static final Field CHECKSUM = new Field(4, 0, 32);

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

  /** The words, names and notes of some slots. */
  private static final class Page {
    private final long[] words;
    private final byte[][] names;
    private byte[][] notes; // null where none of these slots has one

    Page() {
      this(new long[PagedArray.ROWS * WORDS], new byte[PagedArray.ROWS][], null);
    }

    private Page(long[] words, byte[][] names, byte[][] notes) {
      this.words = words;
      this.names = names;
      this.notes = notes;
    }

    Page copy() {
      return new Page(words.clone(), names.clone(), notes == null ? null : notes.clone());
    }

    byte[] note(int index) {
      return notes == null ? null : notes[index];
    }

    void setNote(int index, byte[] note) {
      if (notes == null && note != null) {
        notes = new byte[PagedArray.ROWS][];
      }
      if (notes != null) {
        notes[index] = note;
      }
    }
  }

  private final PagedArray<Page> pages;
  private int slots; // that were ever used
  private int firstFree = NONE;
  private int lastFree = NONE;

  // Files that have the id of one that was there before, by slot and by id.
  private final Map<Integer, Long> adopted = new HashMap<>();
  private final Map<Long, Integer> adopters = new HashMap<>();

  /** An empty table. */
  public InodeTable(Freeze freeze) {
    pages = new PagedArray<>(freeze, Page::new, Page::copy);
  }

  /** How many slots were ever used: all are below this. */
  public int slots() {
    return slots;
  }

  /** A slot for a new file or directory, with a generation that it never had. */
  public int allocate(Kind kind) {
    int slot = firstFree;
    if (slot == NONE) {
      slot = Math.addExact(slots, 1) - 1;
      pages.makeRoom(slot);
      slots++;
      setFirstCopy(slot, NONE);
    } else {
      firstFree = (int) get(PARENT, slot);
      lastFree = firstFree == NONE ? NONE : lastFree;
    }
    set(GENERATION, slot, get(GENERATION, slot) + 1);
    set(KIND, slot, kind.ordinal());
    return slot;
  }

  /** Nothing is in this slot any more. */
  public void free(int slot) {
    long generation = get(GENERATION, slot);
    Page page = pages.mutable(slot);
    int index = PagedArray.index(slot);
    Arrays.fill(page.words, index * WORDS, (index + 1) * WORDS, 0);
    page.names[index] = null;
    page.setNote(index, null);
    GENERATION.set(page.words, index, generation);
    setParent(slot, NONE);
    setFirstCopy(slot, NONE);
    Long foreign = adopted.remove(slot);
    if (foreign != null) {
      adopters.remove(foreign);
    }
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
  public int find(long fid) {
    int slot = Fid.slot(fid);
    boolean isThere = slot >= 0 && slot < slots && kind(slot) != Kind.FREE && fid(slot) == fid;
    if (isThere || adopters.isEmpty()) {
      return isThere ? slot : NONE;
    }
    return adopters.getOrDefault(fid, NONE);
  }

  public long fid(int slot) {
    Long foreign = adopted.isEmpty() ? null : adopted.get(slot);
    return foreign != null ? foreign : Fid.of((int) get(GENERATION, slot), slot);
  }

  /**
   * What is in a slot has the id of a file that was there before, and is not any more, in place of
   * its own; until the slot is free. Not in images: who reads one calls this again.
   */
  public void adopt(int slot, long fid) {
    if (adopters.containsKey(fid) || adopted.containsKey(slot)) {
      throw new IllegalStateException(
          "fid=%s is in a slot already, or slot=%d has such an id".formatted(Fid.text(fid), slot));
    }
    adopters.put(fid, slot);
    adopted.put(slot, fid);
  }

  public Kind kind(int slot) {
    return KINDS[(int) get(KIND, slot)];
  }

  public void setKind(int slot, Kind kind) {
    set(KIND, slot, kind.ordinal());
  }

  public boolean isDirectory(int slot) {
    return kind(slot) == Kind.DIRECTORY;
  }

  /** The directory that it is in, or {@link #NONE}. */
  public int parent(int slot) {
    return (int) get(PARENT, slot);
  }

  public void setParent(int slot, int parent) {
    set(PARENT, slot, Integer.toUnsignedLong(parent));
  }

  /** The table's own: not to be changed. */
  public byte[] name(int slot) {
    return pages.page(slot).names[PagedArray.index(slot)];
  }

  /**
   * @param name belongs to the table from here on
   */
  public void setName(int slot, byte[] name) {
    pages.mutable(slot).names[PagedArray.index(slot)] = name;
  }

  /** What is below, or null; the table's own: not to be changed. */
  public byte[] note(int slot) {
    return pages.page(slot).note(PagedArray.index(slot));
  }

  /**
   * @param note belongs to the table from here on; at most {@link #LONGEST_NOTE} bytes, or null
   */
  public void setNote(int slot, byte[] note) {
    if (note != null && (note.length == 0 || note.length > LONGEST_NOTE)) {
      throw new IllegalArgumentException("a note of bytes=" + note.length);
    }
    pages.mutable(slot).setNote(PagedArray.index(slot), note);
  }

  public long modifiedMs(int slot) {
    return get(MODIFIED, slot);
  }

  public void setModifiedMs(int slot, long ms) {
    set(MODIFIED, slot, ms);
  }

  public int mode(int slot) {
    return (int) get(MODE, slot);
  }

  public void setMode(int slot, int mode) {
    set(MODE, slot, mode);
  }

  /** Whether it is pinned itself. */
  public boolean isPinned(int slot) {
    return get(PINNED, slot) != 0;
  }

  public void setPinned(int slot, boolean pinned) {
    set(PINNED, slot, pinned ? 1 : 0);
  }

  public long length(int slot) {
    return get(LENGTH, slot);
  }

  public void setLength(int slot, long bytes) {
    set(LENGTH, slot, bytes);
  }

  /** The checksum of the file's content, if its writer has given one. */
  public OptionalInt checksum(int slot) {
    return get(SUMMED, slot) == 0 ? OptionalInt.empty() : OptionalInt.of((int) get(CHECKSUM, slot));
  }

  public void setChecksum(int slot, int checksum) {
    set(SUMMED, slot, 1);
    set(CHECKSUM, slot, Integer.toUnsignedLong(checksum));
  }

  public int owner(int slot) {
    return (int) get(OWNER, slot);
  }

  public void setOwner(int slot, int owner) {
    set(OWNER, slot, owner);
  }

  public int group(int slot) {
    return (int) get(GROUP, slot);
  }

  public void setGroup(int slot, int group) {
    set(GROUP, slot, group);
  }

  public int blockSizeLog(int slot) {
    return (int) get(BLOCK_SIZE_LOG, slot);
  }

  public void setBlockSizeLog(int slot, int log) {
    set(BLOCK_SIZE_LOG, slot, log);
  }

  /** Where the chain of its copies begins in the {@link CopyTable}, or {@link #NONE}. */
  public int firstCopy(int slot) {
    return (int) get(FIRST_COPY, slot);
  }

  /** Has the chain of its copies begin with this row, or {@link #NONE}. */
  public void setFirstCopy(int slot, int row) {
    set(FIRST_COPY, slot, Integer.toUnsignedLong(row));
  }

  private long get(Field field, int slot) {
    return field.get(pages.page(slot).words, PagedArray.index(slot));
  }

  private void set(Field field, int slot, long value) {
    field.set(pages.mutable(slot).words, PagedArray.index(slot), value);
  }

  /** The table as it is now, until the freeze ends. */
  public Image image() {
    return new Image(pages.image(), slots, firstFree, lastFree);
  }

  /**
   * A table as it was. Written as
   *
   * <pre>
   *   slots:4 first free slot:4 last free slot:4
   *   { word:8 × 5   length of the name:1   name   length of the note:2, 0 for none   note } × slots
   * </pre>
   */
  public static final class Image {
    private final IntFunction<Page> pages;
    private final int slots;
    private final int firstFree;
    private final int lastFree;
    private int next;

    private Image(IntFunction<Page> pages, int slots, int firstFree, int lastFree) {
      this.pages = pages;
      this.slots = slots;
      this.firstFree = firstFree;
      this.lastFree = lastFree;
    }

    public void writeHead(DataOutputStream out) throws IOException {
      out.writeInt(slots);
      out.writeInt(firstFree);
      out.writeInt(lastFree);
    }

    /** Writes the next page, if there is one, and returns whether there is more. */
    public boolean writePage(DataOutputStream out) throws IOException {
      int end = Math.min(slots, next + PagedArray.ROWS);
      for (; next < end; next++) {
        Page page = pages.apply(next);
        int index = PagedArray.index(next);
        for (int word = 0; word < WORDS; word++) {
          out.writeLong(page.words[index * WORDS + word]);
        }
        byte[] name = page.names[index];
        out.writeByte(name == null ? 0 : name.length);
        if (name != null) {
          out.write(name);
        }
        byte[] note = page.note(index);
        out.writeShort(note == null ? 0 : note.length);
        if (note != null) {
          out.write(note);
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
  public void read(DataInputStream in) throws IOException {
    int count = in.readInt();
    firstFree = in.readInt();
    lastFree = in.readInt();
    for (; slots < count; slots++) {
      pages.makeRoom(slots);
      Page page = pages.mutable(slots);
      int index = PagedArray.index(slots);
      for (int word = 0; word < WORDS; word++) {
        page.words[index * WORDS + word] = in.readLong();
      }
      byte[] name = in.readNBytes(in.readUnsignedByte());
      page.names[index] = kind(slots) == Kind.FREE ? null : name;
      byte[] note = in.readNBytes(in.readUnsignedShort());
      page.setNote(index, note.length == 0 ? null : note);
    }
    boolean isRooted = slots > 0 && isDirectory(ROOT);
    if (!isRooted || firstFree >= slots || lastFree >= slots || (firstFree < 0) != (lastFree < 0)) {
      throw new IOException(
          "table of files is damaged: slots=%d firstFree=%d lastFree=%d root=%b"
              .formatted(slots, firstFree, lastFree, isRooted));
    }
  }
}

package dev.sailfish.blockstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stored thing: a named file of at most {@link #MAX_CAPACITY} bytes, mapped once.
 *
 * <pre>
 *   OPEN ──seal──▶ SEALED ──delete──▶ DELETED    (memory returned with the last reference)
 *     └────────────delete────────────▶ DELETED
 *   DAMAGED (found so at recovery) ──delete──▶ DELETED
 * </pre>
 *
 * <p><b>Writing.</b> Call {@link #ensure} before touching bytes, through whatever buffer: only
 * bytes below the ensured length have pages. The file ends there, so reading or writing the mapping
 * beyond it raises {@link InternalError} at best. After {@link #seal} the same holds beyond the
 * sealed length; buffers taken earlier still reach there and must not be used so.
 *
 * <p><b>References.</b> A segment starts with one reference, the store's, which {@link #delete}
 * drops. Whoever reads or writes while somebody else may delete holds one of its own: {@link
 * #tryRetain}, work, {@link #release}. Without a reference, a buffer may show the next segment's
 * data.
 *
 * <p>Thread-safe. {@code ensure} is one volatile read when the length is already covered; growing,
 * sealing and deleting of one segment exclude one another. The content itself is the callers' to
 * coordinate. Methods that touch the file system throw {@link UncheckedIOException} on an I/O
 * error.
 */
public final class Segment {
  /** The largest capacity, in bytes: what one mapping can hold. */
  public static final long MAX_CAPACITY = Integer.MAX_VALUE - 7;

  private static final Logger LOG = LoggerFactory.getLogger(Segment.class);

  private enum State {
    OPEN,
    SEALED,
    DAMAGED,
    DELETED
  }

  private final BlockStore store;
  private final StoreDirectory directory;
  private final BackingFile file;
  private final String name;
  private final long capacity;
  private final Object lock = new Object();
  private final AtomicInteger references = new AtomicInteger(1);

  private volatile State state;
  private volatile long covered;
  private volatile long length;
  private volatile OptionalInt checksum = OptionalInt.empty();
  private volatile DamagedSegmentException damage;
  private volatile boolean sealed;
  private volatile long viewBytes;
  private volatile boolean keepFile;

  private Segment(
      BlockStore store, StoreDirectory directory, BackingFile file, String name, long capacity) {
    this.store = store;
    this.directory = directory;
    this.file = file;
    this.name = name;
    this.capacity = capacity;
    this.viewBytes = capacity;
  }

  static Segment created(
      BlockStore store, StoreDirectory directory, BackingFile file, String name, long capacity) {
    Segment segment = new Segment(store, directory, file, name, capacity);
    segment.state = State.OPEN;
    segment.covered = Math.min(directory.step(1, capacity), capacity);
    return segment;
  }

  static Segment recoveredOpen(
      BlockStore store, StoreDirectory directory, BackingFile file, String name) {
    Segment segment = new Segment(store, directory, file, name, file.capacity());
    segment.state = State.OPEN;
    segment.covered = file.capacity();
    segment.length = file.capacity();
    return segment;
  }

  static Segment recoveredSealed(
      BlockStore store, StoreDirectory directory, BackingFile file, SegmentFileName seal) {
    Segment segment = new Segment(store, directory, file, seal.segment(), file.capacity());
    segment.length = seal.length();
    segment.checksum = seal.checksum();
    if (file.capacity() < seal.length()) {
      segment.damage =
          new DamagedSegmentException(
              seal.segment(),
              file.path(),
              DamagedSegmentException.Kind.FILE_TOO_SHORT,
              seal.length(),
              file.capacity());
      segment.state = State.DAMAGED;
    } else {
      segment.covered = seal.length();
      segment.viewBytes = seal.length();
      segment.sealed = true;
      segment.state = State.SEALED;
    }
    return segment;
  }

  /** The name it was allocated under. */
  public String name() {
    return name;
  }

  /** Where its bytes live. */
  public Tier tier() {
    return directory.tier();
  }

  /** How many bytes it can hold; of a recovered segment, how many its file has. */
  public long capacity() {
    return capacity;
  }

  /**
   * The sealed length, in bytes. Before sealing only the writer knows how far it came: 0 then, or
   * of an unsealed segment found at recovery the file's length.
   */
  public long length() {
    return length;
  }

  /** Whether {@link #seal} has fixed the length; stays true after a delete. */
  public boolean isSealed() {
    return sealed;
  }

  /** The CRC32C of the content, when it was sealed {@link SealMode#WITH_CHECKSUM}. */
  public OptionalInt sealedChecksum() {
    return checksum;
  }

  /** What is wrong with it, when recovery found it damaged. */
  public Optional<DamagedSegmentException> damage() {
    return Optional.ofNullable(damage);
  }

  /**
   * Where the file is now; sealing and deleting rename it.
   *
   * @throws SegmentDeletedException when the last reference is gone
   */
  public Path path() {
    synchronized (lock) {
      requireReferenced();
      return file.path();
    }
  }

  /**
   * A fresh direct, big-endian view of the mapping, position 0: over the whole capacity before the
   * seal, over the length after it. The memory is the segment's: valid while the caller holds a
   * reference, and only below the ensured length.
   *
   * @throws SegmentDeletedException when the last reference is gone
   * @throws IllegalStateException when the segment is damaged
   */
  public ByteBuffer buffer() {
    requireReferenced();
    requireUndamaged();
    return file.slice(viewBytes);
  }

  /**
   * The file, open for reading, for zero-copy sends; shared, so use positions and do not close it.
   * An interrupt of a thread that is using it closes it; the next call opens it again.
   *
   * @throws SegmentDeletedException when the last reference is gone
   */
  public FileChannel channel() {
    synchronized (lock) {
      requireReferenced();
      requireUndamaged();
      try {
        return file.channel();
      } catch (IOException e) {
        throw failed("open", e);
      }
    }
  }

  /**
   * Makes bytes [0, length) writable: accounts them, in growth steps, and makes their pages exist.
   *
   * @return false when the tier is full; nothing has changed, and what was ensured before stays so.
   *     The caller seals what it has and goes on in another segment.
   * @throws IllegalArgumentException when length is beyond the capacity
   * @throws IllegalStateException when the segment is no longer open
   */
  public boolean ensure(long length) {
    return length <= covered || growTo(length);
  }

  private boolean growTo(long wanted) {
    synchronized (lock) {
      requireGrowable(wanted, "ensure");
      if (wanted <= covered) {
        return true;
      }
      try {
        long step = directory.step(wanted, capacity);
        long exact = directory.pages(wanted);
        if (directory.grow(file, step)) {
          covered = Math.min(step, capacity);
          return true;
        }
        if (exact < step && directory.grow(file, exact)) {
          covered = Math.min(exact, capacity);
          return true;
        }
        return false;
      } catch (IOException e) {
        throw failed("grow", e);
      }
    }
  }

  /**
   * Accounts bytes [0, length) of a growing segment at once, without making their pages exist: up
   * to there {@link #ensure} does not fail because others took the room. Ends with {@link
   * #unclaim}, {@link #trim}, {@link #seal} and {@link #delete}.
   *
   * @return false when the directory has no such room; nothing has changed
   * @throws IllegalArgumentException when length is beyond the capacity
   * @throws IllegalStateException when the segment is no longer open
   */
  public boolean claim(long length) {
    synchronized (lock) {
      requireGrowable(length, "claim");
      try {
        return directory.claim(file, directory.pages(length));
      } catch (IOException e) {
        throw failed("claim", e);
      }
    }
  }

  private void requireGrowable(long length, String operation) {
    requireState(State.OPEN, operation);
    if (length > capacity) {
      throw new IllegalArgumentException(
          String.format(
              "segment name=%s %s length=%d exceeds capacity=%d",
              name, operation, length, capacity));
    }
  }

  /** Gives back what was claimed and not ensured; nothing once the segment is no longer open. */
  public void unclaim() {
    synchronized (lock) {
      if (state == State.OPEN) {
        directory.unclaim(file);
      }
    }
  }

  /**
   * Gives back what was ensured beyond {@code length}: for a segment found at recovery, whose file
   * may be longer than what is in it. It can grow again.
   *
   * @param length in bytes; what is ensured from now on, up to whole pages
   * @throws IllegalArgumentException when less is ensured
   * @throws IllegalStateException when the segment is no longer open
   */
  public void trim(long length) {
    synchronized (lock) {
      requireState(State.OPEN, "trim");
      if (length < 0 || length > covered) {
        throw new IllegalArgumentException(
            "segment name=" + name + " trim length=" + length + " must be in [0, " + covered + "]");
      }
      long kept = directory.pages(length);
      covered = Math.min(covered, kept);
      try {
        directory.shrink(file, kept);
      } catch (IOException e) {
        throw failed("trim", e);
      }
    }
  }

  /** {@link #seal(long, SealMode)} with {@link SealMode#LENGTH_ONLY}. */
  public void seal(long length) {
    seal(length, SealMode.LENGTH_ONLY);
  }

  /**
   * Fixes the length. The record of it (and of the checksum) survives the process; pages beyond the
   * length are given back by cutting the file, so buffers taken before must not be used there.
   *
   * @param length in bytes; at most what was ensured
   * @throws IllegalStateException when the segment is no longer open
   */
  public void seal(long length, SealMode mode) {
    synchronized (lock) {
      requireState(State.OPEN, "seal");
      if (length < 0 || length > covered) {
        throw new IllegalArgumentException(
            "segment name=" + name + " seal length=" + length + " must be in [0, " + covered + "]");
      }
      try {
        OptionalInt crc =
            mode == SealMode.WITH_CHECKSUM
                ? OptionalInt.of(checksum(0, length))
                : OptionalInt.empty();
        file.rename(directory.path().resolve(SegmentFileName.sealed(name, length, crc)));
        this.checksum = crc;
        this.length = length;
        this.covered = length;
        this.viewBytes = length;
        this.sealed = true;
        this.state = State.SEALED;
        directory.shrink(file, directory.pages(length));
      } catch (IOException e) {
        throw failed("seal", e);
      }
    }
  }

  /**
   * Writes the content through to the device: after it, what is below the ensured length survives a
   * power failure on {@link Tier#DISK}. Sealing alone survives the death of the process only.
   */
  public void force() {
    retain();
    try {
      file.force();
    } catch (IOException e) {
      throw failed("force", e);
    } finally {
      release();
    }
  }

  /**
   * CRC32C over content bytes [from, to).
   *
   * @throws IllegalArgumentException when the range is not within what was ensured or sealed
   */
  public int checksum(long from, long to) {
    retain();
    try {
      requireUndamaged();
      if (from < 0 || from > to || to > covered) {
        throw new IllegalArgumentException(
            "segment name=" + name + " range=[" + from + ", " + to + ") covered=" + covered);
      }
      CRC32C crc = new CRC32C();
      crc.update(file.slice(to).position((int) from));
      return (int) crc.getValue();
    } finally {
      release();
    }
  }

  /**
   * Compares a sealed segment with its seal: the length of the file, and the checksum when there is
   * one.
   *
   * @throws DamagedSegmentException when they differ
   * @throws IllegalStateException when the segment is not sealed
   */
  public void verify() throws DamagedSegmentException {
    retain();
    try {
      if (damage != null) {
        throw damage;
      }
      if (!sealed) {
        throw new IllegalStateException("segment name=" + name + " verify needs a sealed one");
      }
      synchronized (lock) {
        requireFileLength();
      }
      if (checksum.isPresent()) {
        requireChecksum(checksum.getAsInt());
      }
    } finally {
      release();
    }
  }

  private void requireFileLength() throws DamagedSegmentException {
    try {
      long actual = file.length();
      if (actual < length) {
        throw new DamagedSegmentException(
            name, file.path(), DamagedSegmentException.Kind.FILE_TOO_SHORT, length, actual);
      }
    } catch (DamagedSegmentException e) {
      throw e;
    } catch (IOException e) {
      throw failed("verify", e);
    }
  }

  private void requireChecksum(int expected) throws DamagedSegmentException {
    int actual = checksum(0, length);
    if (actual != expected) {
      throw new DamagedSegmentException(
          name,
          file.path(),
          DamagedSegmentException.Kind.CHECKSUM_MISMATCH,
          Integer.toUnsignedLong(expected),
          Integer.toUnsignedLong(actual));
    }
  }

  /**
   * Takes a further reference, for a caller that holds one already (also of a deleted segment) or
   * knows that nobody deletes; the caller owes one {@link #release}.
   *
   * @throws SegmentDeletedException when the last reference is gone
   */
  public void retain() {
    if (!addReference()) {
      throw deleted();
    }
  }

  /**
   * Takes a reference, for a caller that has none yet; it owes one {@link #release}. Returns false
   * when the segment is deleted and must not be touched: readers that come and go cannot keep a
   * deleted segment for ever.
   */
  public boolean tryRetain() {
    return state != State.DELETED && addReference();
  }

  private boolean addReference() {
    int count = references.get();
    while (count > 0) {
      if (references.compareAndSet(count, count + 1)) {
        return true;
      }
      count = references.get();
    }
    return false;
  }

  /**
   * Gives a reference back. The last one returns the memory, to the pool or to the file system.
   *
   * @throws SegmentDeletedException when there is none to give back
   */
  public void release() {
    int count;
    do {
      count = references.get();
      if (count <= 0) {
        throw deleted();
      }
    } while (!references.compareAndSet(count, count - 1));
    if (count == 1) {
      returnMemory();
    }
  }

  /**
   * Takes the segment out of the namespace at once, so that the name is free, and drops the store's
   * reference. Readers that hold a reference go on reading.
   *
   * @return false when it was deleted before
   */
  public boolean delete() {
    synchronized (lock) {
      if (state == State.DELETED) {
        return false;
      }
      state = State.DELETED;
      store.unlist(this);
      try {
        directory.markFree(file);
      } catch (IOException e) {
        // The name in the directory is only what a crash would resurrect; the memory still returns.
        LOG.warn("segment name={} file={} cannot be renamed: {}", name, file.path(), e.toString());
      } finally {
        store.releaseName(name);
      }
    }
    release();
    return true;
  }

  /** Leaves the file for the next store, unless it is damaged. */
  void closeWithStore() {
    synchronized (lock) {
      if (state == State.DAMAGED) {
        delete();
        return;
      }
      if (state == State.DELETED) {
        return;
      }
      keepFile = true;
      state = State.DELETED;
      try {
        directory.dropSpare(file);
      } catch (IOException e) {
        // The next store finds a longer file than need be.
        LOG.warn("segment name={} file={} cannot be cut: {}", name, file.path(), e.toString());
      }
    }
    release();
  }

  private void returnMemory() {
    try {
      if (keepFile) {
        directory.detach(file);
      } else {
        directory.free(file);
      }
    } catch (IOException e) {
      throw failed("free", e);
    }
  }

  private void requireReferenced() {
    if (references.get() <= 0) {
      throw deleted();
    }
  }

  private void requireUndamaged() {
    if (damage != null) {
      throw new IllegalStateException("segment name=" + name + " is damaged", damage);
    }
  }

  private void requireState(State required, String operation) {
    if (state != required) {
      throw new IllegalStateException(
          "segment name=" + name + " state=" + state + ": " + operation + " needs " + required);
    }
  }

  private SegmentDeletedException deleted() {
    return new SegmentDeletedException("segment name=" + name + " is deleted and its memory gone");
  }

  private UncheckedIOException failed(String operation, IOException e) {
    return new UncheckedIOException(
        "segment name=" + name + " operation=" + operation + " directory=" + directory.path(), e);
  }

  @Override
  public String toString() {
    return "Segment[name="
        + name
        + " tier="
        + tier()
        + " state="
        + state
        + " length="
        + length
        + " capacity="
        + capacity
        + "]";
  }
}

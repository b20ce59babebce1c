package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.SegmentFileName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stored thing: a named file of at most {@link #MAX_CAPACITY} bytes, mapped once.
 *
 * <pre>
 *   OPEN ──seal──▶ SEALED ◀──failed──┐
 *                    └────move────▶ MOVING ──done──▶ MOVED    (another segment has the content)
 *   DAMAGED (found so at recovery)
 *
 *   any of these ──delete──▶ DELETED    OPEN, SEALED ──the store closes──▶ LEFT
 * </pre>
 *
 * <p><b>Writing.</b> Call {@link #ensure} before touching bytes, through whatever buffer: only
 * bytes below the ensured length have pages. The file ends there, so reading or writing the mapping
 * beyond it raises {@link InternalError} at best. After {@link #seal} the same holds beyond the
 * sealed length; buffers taken earlier still reach there and must not be used so.
 *
 * <p><b>References.</b> A segment starts with one reference, the store's, which ends when it is
 * deleted or moved away; the memory returns with the last one. What reads or writes while somebody
 * else may delete or move holds one of its own: {@link #tryRetain} or {@link Owner#acquire}, work,
 * {@link #release}. Without a reference, a buffer may show the next segment's data.
 *
 * <p>Thread-safe. {@code ensure} is one volatile read when the length is already covered; growing,
 * sealing, deleting and the switch of a move exclude one another. The content itself is the
 * callers' to coordinate. Methods that touch the file system and declare nothing throw {@link
 * UncheckedIOException} on an I/O error.
 */
public final class Segment {
  /** The largest capacity, in bytes: what one mapping can hold. */
  public static final long MAX_CAPACITY = Integer.MAX_VALUE - 7;

  private static final Logger LOG = LoggerFactory.getLogger(Segment.class);

  private interface FileAction<T> {
    T run() throws IOException;
  }

  final Owner owner;
  final BackingFile file;

  /** Of this segment; then, if need be, the directory's monitor. */
  final Object lock = new Object();

  private final long capacity;

  /** From one on; once there is none there is none again. */
  private final AtomicInteger references = new AtomicInteger(1);

  /** Shared with the segment that it was moved from; changed under the lock of a live one. */
  private final AtomicInteger pins;

  private final UseHistory history;
  private volatile SegmentFileName name;
  private volatile SegmentState state;
  private volatile long covered;
  private volatile long length;
  private volatile DamagedSegmentException damage;

  private Segment(
      Owner owner,
      BackingFile file,
      SegmentFileName name,
      SegmentState state,
      long capacity,
      AtomicInteger pins,
      UseHistory history) {
    this.owner = owner;
    this.file = file;
    this.name = name;
    this.state = state;
    this.capacity = capacity;
    this.pins = pins;
    this.history = history;
    this.length = name.length();
    this.covered = name.length();
  }

  static Segment created(Owner owner, BackingFile file, SegmentFileName name, long capacity) {
    Segment segment =
        new Segment(
            owner, file, name, SegmentState.OPEN, capacity, new AtomicInteger(), new UseHistory());
    segment.covered = name.kind() == SegmentFileName.Kind.LENT ? 0 : Math.min(file.used, capacity);
    return segment;
  }

  /** What recovery found. */
  static Segment found(Owner owner, BackingFile file, SegmentFileName name) {
    long fileLength = file.capacity();
    SegmentState sealed = fileLength < name.length() ? SegmentState.DAMAGED : SegmentState.SEALED;
    SegmentState state = name.isOpen() ? SegmentState.OPEN : sealed;
    Segment segment =
        new Segment(owner, file, name, state, fileLength, new AtomicInteger(), new UseHistory());
    if (state == SegmentState.OPEN) {
      segment.covered = fileLength;
      segment.length = fileLength;
    } else if (state == SegmentState.DAMAGED) {
      segment.covered = 0;
      segment.damage = file.tooShort(name, fileLength);
    }
    return segment;
  }

  /** What a move has copied, to be known once it takes the place of this segment. */
  Segment copied(BackingFile copied) {
    SegmentFileName sealed = name.as(SegmentFileName.Kind.SEALED);
    return new Segment(
        owner, copied, sealed, SegmentState.SEALED, copied.capacity(), pins, history);
  }

  /** The name it was allocated under. */
  public String name() {
    return name.segment();
  }

  /** Where its bytes live. */
  public Tier tier() {
    return file.directory.tier();
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
    return damage == null && !name.isOpen();
  }

  /** What is wrong with it, when recovery found it damaged. */
  public Optional<DamagedSegmentException> damage() {
    return Optional.ofNullable(damage);
  }

  SegmentState state() {
    return state;
  }

  SegmentFileName fileName() {
    return name;
  }

  /** Where the file is now: for other processes once it is {@link Owner#lend lent} or shared. */
  public Path path() {
    synchronized (lock) {
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
    requireReadable();
    if (name.kind() == SegmentFileName.Kind.LENT) {
      throw new IllegalStateException("segment name=" + name() + " is written by another process");
    }
    try {
      return file.slice(isSealed() ? length : capacity);
    } catch (IOException e) {
      throw failed("map", e);
    }
  }

  /**
   * Ends a loan: the other process has written so many bytes and has closed the file.
   *
   * @return the last {@code tail} of these bytes
   * @throws IllegalArgumentException when the file is not so long
   * @throws IllegalStateException when it is not lent any more
   */
  public byte[] takeBack(long length, int tail) {
    return locked(
        "takeBack",
        () -> {
          requireState(SegmentState.OPEN, "takeBack");
          if (name.kind() != SegmentFileName.Kind.LENT || length > file.length()) {
            throw new IllegalArgumentException(
                "not lent, or not so long: file=" + file.path() + " length=" + length);
          }
          byte[] last = file.read(length - tail, tail);
          file.directory.touched(file, length);
          covered = length;
          return last;
        });
  }

  /**
   * The file, open for reading, for zero-copy sends; shared, so use positions and do not close it.
   * An interrupt of a thread that is using it closes it; the next call opens it again.
   *
   * @throws SegmentDeletedException when the last reference is gone
   */
  public FileChannel channel() {
    return locked(
        "open",
        () -> {
          requireReadable();
          return file.channel();
        });
  }

  /**
   * The file of a sealed segment, for other processes to map for reading, from 0 to {@link
   * #length}. From now on, over restarts too, this file is never written, cut or used for another
   * segment; a delete or move only unlinks it, so a process that has it mapped reads on for as long
   * as it lives. Its memory returns when nobody has it mapped any more; the accounting knows of
   * this process only. After the last reference here is gone a buffer of it must not be touched:
   * the memory is not mapped any more, and the JVM would end. A process that finds no file of this
   * name asks again. A name once shared must not be used for other content.
   *
   * @throws IllegalStateException when it is not sealed, or gone
   */
  public Path share() {
    return locked(
        "share",
        () -> {
          if (state != SegmentState.MOVING) {
            requireState(SegmentState.SEALED, "share");
          }
          if (!file.isShared()) {
            file.rename(name.as(SegmentFileName.Kind.SHARED).fileName());
          }
          return file.path();
        });
  }

  /**
   * Makes bytes [0, length) writable: accounts them, in growth steps, and makes their pages exist.
   *
   * @return false when the tier, or the owner's share of it, is full; nothing has changed, and what
   *     was ensured before stays so. The caller seals what it has and goes on in another segment.
   * @throws IllegalArgumentException when length is beyond the capacity
   * @throws IllegalStateException when the segment is no longer open
   */
  public boolean ensure(long length) {
    return length <= covered || growTo(length);
  }

  private boolean growTo(long wanted) {
    return locked(
        "ensure",
        () -> {
          requireOpen("ensure", wanted, capacity);
          if (wanted > covered) {
            long promised = file.directory.grow(file, wanted, capacity);
            covered = Math.max(covered, Math.min(promised, capacity));
          }
          return wanted <= covered;
        });
  }

  /**
   * Accounts bytes [0, length) of a growing segment at once, without making their pages exist: up
   * to there {@link #ensure} does not fail because others took the room. Ends with {@link
   * #unclaim}, {@link #trim}, {@link #seal} and {@link #delete}.
   *
   * @return false when there is no such room; nothing has changed
   * @throws IllegalArgumentException when length is beyond the capacity
   * @throws IllegalStateException when the segment is no longer open
   */
  public boolean claim(long length) {
    return locked(
        "claim",
        () -> {
          requireOpen("claim", length, capacity);
          return file.claim(length);
        });
  }

  /** Makes pages for what is claimed of a lent segment, where that saves its writer time. */
  public void makeReady() {
    locked("makeReady", file::makeHuge);
  }

  /** Gives back what was claimed and not ensured; nothing once the segment is no longer open. */
  public void unclaim() {
    synchronized (lock) {
      if (state == SegmentState.OPEN && name.kind() != SegmentFileName.Kind.LENT) {
        file.directory.unclaim(file, covered);
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
    locked(
        "trim",
        () -> {
          requireOpen("trim", length, covered);
          covered = Math.min(covered, file.directory.pages(length));
          file.directory.shrink(file, length);
          return true;
        });
  }

  /** Fixes the length of content that carries checksums of its own; else as the other. */
  public void seal(long length) {
    seal(length, false);
  }

  /**
   * Fixes the length and records the CRC32C of the content, which costs one pass over it. The seal
   * survives the process, and in a synced tier a power failure; pages beyond the length go.
   *
   * @param length in bytes; at most what was ensured
   * @throws IllegalStateException when the segment is no longer open
   */
  public void sealWithChecksum(long length) {
    seal(length, true);
  }

  private void seal(long length, boolean withChecksum) {
    locked(
        "seal",
        () -> {
          requireOpen("seal", length, covered);
          SegmentFileName sealed =
              name.sealed(
                  length, withChecksum ? OptionalInt.of(file.crc32c(length)) : OptionalInt.empty());
          boolean synced = file.directory.sync(file);
          file.rename(sealed.fileName());
          if (synced) {
            file.directory.syncNames();
          }
          this.length = length;
          covered = length;
          name = sealed;
          transition(SegmentState.SEALED);
          file.directory.shrink(file, length);
          return true;
        });
  }

  /**
   * Compares a sealed segment with its seal: the file's length, and the checksum if it has one.
   *
   * @throws DamagedSegmentException when they differ
   * @throws IllegalStateException when the segment is not sealed
   */
  public void verify() throws IOException {
    retain();
    try {
      if (damage != null) {
        throw damage;
      }
      if (!isSealed()) {
        throw new IllegalStateException("segment name=" + name() + " verify needs a sealed one");
      }
      file.requireIntact(name);
    } finally {
      release();
    }
  }

  /**
   * Takes a further reference, for a caller that holds one already (also of a deleted segment) or
   * knows that nobody deletes or moves; the caller owes one {@link #release}.
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
   * when the segment is deleted, or in another place, and must not be touched: readers that come
   * and go cannot keep a deleted segment for ever.
   */
  public boolean tryRetain() {
    return state.live && addReference();
  }

  private boolean addReference() {
    return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /**
   * Gives a reference back. The last one returns the memory, to the pool or to the file system.
   *
   * @throws SegmentDeletedException when there is none to give back
   */
  public void release() {
    int before = references.getAndUpdate(count -> Math.max(0, count - 1));
    if (before == 0) {
      throw deleted();
    }
    if (before > 1) {
      return;
    }
    try {
      if (state == SegmentState.LEFT) {
        file.directory.detach(file);
      } else {
        file.directory.free(file);
      }
    } catch (IOException e) {
      throw failed("free", e);
    }
  }

  /**
   * Keeps the segment in its tier or above, and from being evicted, until it was unpinned as often.
   * Ends with the process. A delete does not care.
   *
   * @return false when it is deleted, or in another place: find it again
   */
  public boolean pin() {
    synchronized (lock) {
      if (state.live) {
        pins.incrementAndGet();
      }
      return state.live;
    }
  }

  /**
   * Ends a pin, also one that was made before the segment moved up.
   *
   * @throws IllegalStateException when there is none
   */
  public void unpin() {
    if (pins.getAndUpdate(count -> Math.max(0, count - 1)) == 0) {
      throw new IllegalStateException("segment name=" + name() + " is not pinned");
    }
  }

  /** When it was allocated and acquired. */
  public UseHistory history() {
    return history;
  }

  /**
   * Takes the segment out of the namespace at once, so that the name is free, and drops the store's
   * reference. Readers that hold a reference go on reading.
   *
   * @return false when it was deleted or moved away before
   */
  public boolean delete() {
    synchronized (lock) {
      if (!state.live) {
        return false;
      }
      transition(SegmentState.DELETED);
      owner.unlist(this);
      try {
        file.markFree();
      } catch (IOException e) {
        // The name in the directory is only what a crash would resurrect; the memory still returns.
        LOG.warn(
            "segment name={} file={} cannot be renamed: {}", name(), file.path(), e.toString());
      } finally {
        owner.releaseName(name());
      }
    }
    try {
      release();
    } catch (UncheckedIOException e) {
      // It is deleted all the same; the next store removes what is left of its file.
      LOG.warn("{} is deleted, and its file is not given back", this, e);
    }
    return true;
  }

  /** Deletes it if it may be evicted. */
  boolean evict() {
    synchronized (lock) {
      return isEvictable() && delete();
    }
  }

  /** Whether it is sealed, at rest and not pinned. */
  public boolean isEvictable() {
    return state == SegmentState.SEALED && !isPinned();
  }

  boolean isPinned() {
    return pins.get() > 0;
  }

  /** Leaves the file for the next store, unless it is damaged. */
  void closeWithStore() {
    synchronized (lock) {
      if (state == SegmentState.DAMAGED) {
        delete();
        return;
      }
      if (!state.live) {
        return;
      }
      transition(SegmentState.LEFT);
      try {
        file.directory.shrink(file, covered);
      } catch (IOException e) {
        // The next store finds a longer file than need be.
        LOG.warn("segment name={} file={} cannot be cut: {}", name(), file.path(), e.toString());
      }
    }
    release();
  }

  /** Under the lock: the only place where the state changes. */
  void transition(SegmentState next) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "segment name=" + name() + " state=" + state + " cannot become " + next);
    }
    state = next;
  }

  private <T> T locked(String operation, FileAction<T> action) {
    synchronized (lock) {
      try {
        return action.run();
      } catch (IOException e) {
        throw failed(operation, e);
      }
    }
  }

  private void requireOpen(String operation, long length, long most) {
    requireState(SegmentState.OPEN, operation);
    if (length < 0 || length > most) {
      throw new IllegalArgumentException(
          String.format(
              "segment name=%s %s length=%d must be in [0, %d]", name(), operation, length, most));
    }
  }

  private void requireReadable() {
    if (references.get() == 0) {
      throw deleted();
    }
    if (damage != null) {
      throw new IllegalStateException("segment name=" + name() + " is damaged", damage);
    }
  }

  private void requireState(SegmentState required, String operation) {
    if (state != required) {
      throw new IllegalStateException(
          "segment name=" + name() + " state=" + state + ": " + operation + " needs " + required);
    }
  }

  private SegmentDeletedException deleted() {
    return new SegmentDeletedException(
        "segment name=" + name() + " is deleted and its memory gone");
  }

  private UncheckedIOException failed(String operation, IOException e) {
    return new UncheckedIOException(
        "segment name=%s operation=%s directory=%s"
            .formatted(name(), operation, file.directory.path()),
        e);
  }

  @Override
  public String toString() {
    return String.format(
        "Segment[name=%s tier=%s state=%s length=%d capacity=%d]",
        name(), tier(), state, length, capacity);
  }
}

package dev.sailfish.blockstore;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One directory of the store: its accounting and its pool.
 *
 * <p>Accounting. A file's bytes below {@code promised}, or below {@code claimed} if that is more,
 * are used; its warm bytes beyond that are reclaimable ("pooled"), whether the file waits in the
 * pool or was handed out again and has not grown into them yet. {@code used + pooled <= capacity}
 * holds after every step: room is reserved before pages are touched and given back after they are
 * gone.
 *
 * <p>Thread-safe. All figures are guarded by the monitor. First touch of pages, the slow part of
 * growing, happens outside it; giving back reclaimed pages happens inside, so that the figures and
 * the pages agree. The monitor is the last lock taken: nothing here calls into a segment.
 */
final class StoreDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(StoreDirectory.class);

  /** Bounds the descriptors and mappings that the pool keeps. */
  private static final int MAX_POOLED_SEGMENTS = 1024;

  private static final AtomicLong FREE_NUMBERS = new AtomicLong();

  private final Tier tier;
  private final Path path;
  private final long capacityBytes;
  private final long growthBytes;
  private final long pageBytes;
  private final double watermark;
  private final LongSupplier nanoClock;
  private final FileStore fileStore;
  private final DirectoryLock lock;

  private final List<BackingFile> pool = new ArrayList<>();
  private final Set<BackingFile> live = Collections.newSetFromMap(new IdentityHashMap<>());
  private long usedBytes;
  private long pooledBytes;
  private long firstTouchedBytes;
  private long reuseCount;
  private long idleSinceNanos;
  private boolean closed;

  /** Takes over the lock: {@link #close} releases it. */
  StoreDirectory(
      Tier tier,
      DirectoryLock lock,
      long capacityBytes,
      BlockStoreConfig config,
      LongSupplier nanoClock)
      throws IOException {
    this.tier = tier;
    this.lock = lock;
    this.path = lock.directory();
    this.capacityBytes = capacityBytes;
    this.watermark = config.diskWatermark();
    this.nanoClock = nanoClock;
    this.fileStore = Files.getFileStore(path);
    this.pageBytes = pageBytes(fileStore);
    this.growthBytes = roundUp(config.growthBytes(), pageBytes);
    this.idleSinceNanos = nanoClock.getAsLong();
    if (capacityBytes > fileStore.getTotalSpace()) {
      LOG.warn(
          "directory={} capacityBytes={} exceeds its file system's totalBytes={}",
          path,
          capacityBytes,
          fileStore.getTotalSpace());
    }
  }

  private static long pageBytes(FileStore fileStore) throws IOException {
    long block = fileStore.getBlockSize();
    boolean plausible = Long.bitCount(block) == 1 && block <= BlockStoreConfig.DEFAULT_GROWTH_BYTES;
    return plausible ? Math.max(block, BlockStoreConfig.PAGE_BYTES) : BlockStoreConfig.PAGE_BYTES;
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  Tier tier() {
    return tier;
  }

  Path path() {
    return path;
  }

  /** Rounds up to whole pages, the unit of all accounting. */
  long pages(long bytes) {
    return roundUp(bytes, pageBytes);
  }

  /** Rounds up to whole growth steps, but not beyond the pages of {@code capacity}. */
  long step(long bytes, long capacity) {
    return Math.min(roundUp(bytes, growthBytes), pages(capacity));
  }

  /** How many bytes can still be promised here, by capacity and (on disk) by watermark. */
  long freeBytes() throws IOException {
    long accounted;
    synchronized (this) {
      accounted = capacityBytes - usedBytes;
    }
    return Math.max(0, tier == Tier.DISK ? Math.min(accounted, belowWatermark()) : accounted);
  }

  /**
   * A file named for a new segment with its first step promised and warm; null when there is no
   * room. A pooled file is preferred.
   */
  BackingFile allocate(String name, long capacity) throws IOException {
    BackingFile file = takePooled(capacity);
    boolean reused = file != null;
    if (!reused) {
      long mapped = Math.min(roundUp(capacity, growthBytes), Segment.MAX_CAPACITY);
      file = BackingFile.create(path.resolve(SegmentFileName.open(name)), mapped);
      addLive(file);
    }
    boolean ready = false;
    try {
      if (reused) {
        file.rename(path.resolve(SegmentFileName.open(name)));
      }
      ready = grow(file, step(1, capacity));
    } finally {
      if (!ready) {
        discard(file);
      }
    }
    if (ready && reused) {
      countReuse();
    }
    return ready ? file : null;
  }

  /** Registers a file found at recovery; all of it is used, also beyond the capacity. */
  synchronized void adopt(BackingFile file) throws IOException {
    live.add(file);
    long length = pages(file.length());
    account(file, length, length);
  }

  /**
   * Promises [0, target) of the file and makes its pages exist. Called by one thread at a time per
   * file; {@code target} is in whole pages.
   *
   * @return false when capacity, watermark or the real file system has no room; nothing has changed
   */
  boolean grow(BackingFile file, long target) throws IOException {
    long oldPromised;
    long oldWarm;
    synchronized (this) {
      oldPromised = file.promised;
      oldWarm = file.warm;
      if (target <= oldPromised) {
        return true;
      }
      if (!reserve(file, target)) {
        return false;
      }
    }
    boolean touched = false;
    try {
      touched = target <= oldWarm || touchOrReclaim(file, oldWarm, target);
      return touched;
    } finally {
      settle(file, oldPromised, target, touched);
    }
  }

  /**
   * Accounts [0, target) of the file as used without making its pages exist, so that it can grow up
   * to there; {@code target} is in whole pages.
   *
   * @return false when capacity or watermark has no room; nothing has changed
   */
  synchronized boolean claim(BackingFile file, long target) throws IOException {
    if (target <= used(file)) {
      return true;
    }
    if (!hasRoom(file, target)) {
      return false;
    }
    account(file, file.promised, target, file.warm);
    return true;
  }

  /** Ends the claim: what is beyond the promised bytes is for others again. */
  synchronized void unclaim(BackingFile file) {
    account(file, file.promised, 0, file.warm);
  }

  /**
   * Gives back what a sealed file does not need: everything from {@code length} pages on, and what
   * it claimed.
   */
  synchronized void shrink(BackingFile file, long length) throws IOException {
    file.truncate(length);
    account(file, Math.min(file.promised, length), 0, Math.min(file.warm, length));
  }

  /** Gives back the warm pages that a file has beyond what it was promised. */
  synchronized void dropSpare(BackingFile file) throws IOException {
    shrink(file, file.promised);
  }

  /** Renames a file, so that after a crash it counts as deleted. */
  void markFree(BackingFile file) throws IOException {
    file.rename(path.resolve(SegmentFileName.free(FREE_NUMBERS.getAndIncrement())));
  }

  /** Ends a deleted segment's use of its file: into the pool when that is worth it, else gone. */
  void free(BackingFile file) throws IOException {
    file.closeChannel();
    List<BackingFile> surplus = new ArrayList<>();
    synchronized (this) {
      if (closed || tier != Tier.MEMORY || !isPoolable(file)) {
        surplus.add(file);
      } else {
        account(file, 0, 0, file.warm);
        removeLive(file);
        pool.add(file);
        if (pool.size() > MAX_POOLED_SEGMENTS) {
          surplus.add(removeColdest());
        }
      }
    }
    for (BackingFile unwanted : surplus) {
      discard(unwanted);
    }
  }

  /** Ends the use of a file whose content stays on the file system for the next store. */
  void detach(BackingFile file) throws IOException {
    synchronized (this) {
      account(file, 0, 0, 0);
      removeLive(file);
    }
    file.close();
  }

  /** Truncates first, because the mapping keeps pages alive until it is garbage collected. */
  private void discard(BackingFile file) throws IOException {
    try {
      file.truncate(0);
      file.unlink();
    } finally {
      synchronized (this) {
        account(file, 0, 0, 0);
        removeLive(file);
      }
      file.close();
    }
  }

  synchronized StoreUsage.DirectoryUsage usage() {
    return new StoreUsage.DirectoryUsage(
        tier,
        path,
        capacityBytes,
        usedBytes,
        pooledBytes,
        live.size(),
        pool.size(),
        firstTouchedBytes,
        reuseCount);
  }

  /** Why a segment of that capacity was refused, for an error message. */
  synchronized String describeFull(long capacity) {
    String accounted =
        String.format(
            "tier=%s directory=%s capacityBytes=%d usedBytes=%d pooledBytes=%d requestedBytes=%d",
            tier, path, capacityBytes, usedBytes, pooledBytes, step(1, capacity));
    return tier == Tier.MEMORY
        ? accounted
        : accounted
            + String.format(
                " watermark=%s diskTotalBytes=%d diskUsableBytes=%d",
                watermark, path.toFile().getTotalSpace(), path.toFile().getUsableSpace());
  }

  /** Gives the pool back when no segment has been live for {@code idleNanos}; returns its bytes. */
  long releaseIdle(long idleNanos) throws IOException {
    synchronized (this) {
      if (!live.isEmpty() || nanoClock.getAsLong() - idleSinceNanos < idleNanos) {
        return 0;
      }
      return discardPool();
    }
  }

  /** Empties the pool for good. */
  synchronized void closePool() throws IOException {
    closed = true;
    discardPool();
  }

  /**
   * Lets go of the directory. Files that readers still hold lose their name now, because afterwards
   * the names here are another store's.
   */
  void close() throws IOException {
    try {
      synchronized (this) {
        for (BackingFile file : live) {
          if (isMarkedFree(file)) {
            file.unlink();
          }
        }
      }
    } finally {
      lock.close();
    }
    if (tier == Tier.MEMORY) {
      deleteIfEmpty();
    }
  }

  private void deleteIfEmpty() throws IOException {
    try {
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException e) {
      LOG.info("directory={} stays: it holds segments for the next store", path);
    }
  }

  private boolean touchOrReclaim(BackingFile file, long from, long to) throws IOException {
    while (true) {
      try {
        file.touch(from, to);
        return true;
      } catch (IOException e) {
        if (!isNoSpace(e, to - from)) {
          throw e;
        }
        if (reclaim(to - from, file) == 0) {
          LOG.warn(
              "directory={} file system is full below its capacityBytes={}: {}",
              path,
              capacityBytes,
              e.getMessage());
          return false;
        }
      }
    }
  }

  /** The message may be in the locale's language, so a full file system counts as evidence too. */
  private boolean isNoSpace(IOException e, long wanted) throws IOException {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left")
        || message.contains("quota exceeded")
        || fileStore.getUsableSpace() < wanted;
  }

  private void settle(BackingFile file, long oldPromised, long target, boolean touched)
      throws IOException {
    synchronized (this) {
      if (touched) {
        firstTouchedBytes += Math.max(0, target - file.warm);
        account(file, target, Math.max(file.warm, target));
      } else {
        account(file, oldPromised, file.warm);
        file.truncate(file.warm);
      }
    }
  }

  /** Under the monitor: accounts [0, target) as used and promised, if there is room. */
  private boolean reserve(BackingFile file, long target) throws IOException {
    boolean room = hasRoom(file, target);
    if (room) {
      account(file, target, file.warm);
    }
    return room;
  }

  /**
   * Under the monitor: whether [0, target) of the file can be used; trims pooled bytes when room is
   * missing.
   */
  private boolean hasRoom(BackingFile file, long target) throws IOException {
    long fresh = Math.max(0, target - Math.max(file.warm, file.claimed));
    long missing = fresh - (capacityBytes - usedBytes - pooledBytes);
    if (fresh > 0 && missing > 0) {
      if (missing > pooledBytes - spare(file) || reclaim(missing, file) < missing) {
        return false;
      }
    }
    return fresh == 0 || tier == Tier.MEMORY || belowWatermark() >= fresh;
  }

  private long belowWatermark() throws IOException {
    long total = fileStore.getTotalSpace();
    return fileStore.getUsableSpace() - (total - (long) (total * watermark));
  }

  /** Gives back pooled bytes, coldest segments first, then what live segments have to spare. */
  private synchronized long reclaim(long wanted, BackingFile except) throws IOException {
    long freed = 0;
    while (freed < wanted && !pool.isEmpty()) {
      BackingFile coldest = Collections.min(pool, Comparator.comparingLong(f -> f.warm));
      freed += trim(coldest, wanted - freed);
      if (coldest.warm == 0) {
        pool.remove(coldest);
        discard(coldest);
      }
    }
    for (BackingFile file : live) {
      if (freed >= wanted) {
        break;
      }
      if (file != except) {
        freed += trim(file, wanted - freed);
      }
    }
    return freed;
  }

  private long trim(BackingFile file, long wanted) throws IOException {
    long cut = Math.min(pages(wanted), spare(file));
    if (cut > 0) {
      file.truncate(file.warm - cut);
      account(file, file.promised, file.warm - cut);
    }
    return cut;
  }

  /**
   * The warmest pooled file of just this capacity; else the warmest larger one that would not waste
   * more warm pages than it saves.
   */
  private synchronized BackingFile takePooled(long capacity) {
    long exact = roundUp(capacity, growthBytes);
    BackingFile best = null;
    for (BackingFile file : pool) {
      boolean fits = file.capacity() == exact || isGoodLarger(file, capacity);
      if (fits && (best == null || isBetter(file, best, exact))) {
        best = file;
      }
    }
    if (best != null) {
      pool.remove(best);
      addLive(best);
    }
    return best;
  }

  private static boolean isGoodLarger(BackingFile file, long capacity) {
    return file.capacity() >= capacity && file.warm / 2 <= capacity;
  }

  private static boolean isBetter(BackingFile file, BackingFile best, long exact) {
    boolean fileExact = file.capacity() == exact;
    boolean bestExact = best.capacity() == exact;
    return fileExact == bestExact ? file.warm > best.warm : fileExact;
  }

  private boolean isPoolable(BackingFile file) {
    return file.capacity() % growthBytes == 0
        && file.warm >= growthBytes
        && usedBytes + pooledBytes <= capacityBytes
        && isMarkedFree(file);
  }

  private static boolean isMarkedFree(BackingFile file) {
    String fileName = file.path().getFileName().toString();
    return SegmentFileName.parse(fileName).kind() == SegmentFileName.Kind.FREE;
  }

  private BackingFile removeColdest() {
    BackingFile coldest = Collections.min(pool, Comparator.comparingLong(f -> f.warm));
    pool.remove(coldest);
    return coldest;
  }

  private long discardPool() throws IOException {
    long released = 0;
    while (!pool.isEmpty()) {
      BackingFile file = pool.remove(pool.size() - 1);
      released += file.warm;
      discard(file);
    }
    if (released > 0) {
      LOG.debug("directory={} released pooledBytes={}", path, released);
    }
    return released;
  }

  private synchronized void addLive(BackingFile file) {
    live.add(file);
  }

  private void removeLive(BackingFile file) {
    if (live.remove(file) && live.isEmpty()) {
      idleSinceNanos = nanoClock.getAsLong();
    }
  }

  private synchronized void countReuse() {
    reuseCount++;
  }

  private void account(BackingFile file, long promised, long warm) {
    account(file, promised, file.claimed, warm);
  }

  private void account(BackingFile file, long promised, long claimed, long warm) {
    pooledBytes -= spare(file);
    usedBytes -= used(file);
    file.promised = promised;
    file.claimed = claimed;
    file.warm = warm;
    usedBytes += used(file);
    pooledBytes += spare(file);
  }

  private static long used(BackingFile file) {
    return Math.max(file.promised, file.claimed);
  }

  private static long spare(BackingFile file) {
    return Math.max(0, file.warm - used(file));
  }
}

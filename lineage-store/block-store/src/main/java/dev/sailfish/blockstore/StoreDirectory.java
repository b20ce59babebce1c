package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.DirectoryLock;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One directory of the store: makes and gives back the pages that its {@link SpaceLedger} accounts,
 * and keeps its {@link WarmPool}. {@code used + pooled <= capacity} holds after every step: room is
 * reserved before pages are touched and given back after they are gone.
 *
 * <p>Thread-safe. All figures are guarded by the monitor. First touch of pages, the slow part of
 * growing, happens outside it; giving back reclaimed pages happens inside, so that the figures and
 * the pages agree. The monitor is the last lock taken: nothing here calls into a segment.
 */
final class StoreDirectory implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreDirectory.class);

  /** So much of a directory is never kept warm ahead, and so much else stays free: one part of. */
  private static final int STOCK_PART = 4;

  private final BlockStoreConfig.TierConfig tier;
  private final Path path;
  private final long growthBytes;
  private final long pageBytes;
  private final LongSupplier nanoClock;
  private final DirectoryLock lock;
  private final StoreFiles files;

  private final SpaceLedger ledger;
  private final WarmPool pool = new WarmPool();
  private final WarmStock stock;
  private final StockFiller filler;
  private final Set<BackingFile> live = Collections.newSetFromMap(new IdentityHashMap<>());
  private long firstTouchedBytes;
  private long reuseCount;
  private long idleSinceNanos;
  private boolean closed;

  /** Locks the directory; {@link #close} lets go of it. */
  StoreDirectory(
      BlockStoreConfig.TierConfig tier,
      BlockStoreConfig.Directory place,
      BlockStoreConfig config,
      LongSupplier nanoClock,
      StoreFiles files)
      throws IOException {
    this.tier = tier;
    this.lock = DirectoryLock.acquire(place.path());
    this.path = lock.directory();
    this.nanoClock = nanoClock;
    this.files = files;
    this.idleSinceNanos = nanoClock.getAsLong();
    this.ledger = new SpaceLedger(place.capacityBytes());
    this.stock = new WarmStock(Math.min(config.warmBytes(), place.capacityBytes() / STOCK_PART));
    this.filler = new StockFiller(this, ledger, stock);
    for (BlockStoreConfig.OwnerConfig owner : config.owners()) {
      ledger.open(owner.name(), owner.limitBytes(tier.tier(), place.capacityBytes()));
    }
    try {
      this.pageBytes = pageBytes(Files.getFileStore(path).getBlockSize());
    } catch (IOException | RuntimeException | Error e) {
      lock.close();
      throw e;
    }
    this.growthBytes = roundUp(config.growthBytes(), pageBytes);
    long totalBytes = path.toFile().getTotalSpace();
    if (place.capacityBytes() > totalBytes) {
      LOG.warn(
          "directory={} capacityBytes={} exceeds its file system's totalBytes={}",
          path,
          place.capacityBytes(),
          totalBytes);
    }
  }

  private static long pageBytes(long block) {
    boolean plausible = Long.bitCount(block) == 1 && block <= BlockStoreConfig.DEFAULT_GROWTH_BYTES;
    return plausible ? Math.max(block, BlockStoreConfig.PAGE_BYTES) : BlockStoreConfig.PAGE_BYTES;
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  Tier tier() {
    return tier.tier();
  }

  Path path() {
    return path;
  }

  StoreFiles files() {
    return files;
  }

  private boolean isMemory() {
    return tier() == Tier.MEMORY;
  }

  /** Rounds up to whole pages, the unit of all accounting. */
  long pages(long bytes) {
    return roundUp(bytes, pageBytes);
  }

  /** Rounds up to whole growth steps, but not beyond the pages of {@code capacity}. */
  private long step(long bytes, long capacity) {
    return Math.min(roundUp(bytes, growthBytes), pages(capacity));
  }

  /** How many bytes an owner can still be promised here, by the ledger and (on disk) watermark. */
  synchronized long freeBytes(String owner) {
    return Math.max(0, Math.min(ledger.freeBytes(ledger.account(owner)), belowWatermark()));
  }

  /**
   * A file with the pages of what is to be ensured promised and warm, in whole growth steps if they
   * fit; null when there is no room. A pooled file is preferred.
   */
  BackingFile allocate(DirectoryChoice.Request request) throws IOException {
    long wanted = wanted(request);
    if (!isWithinLimit(request.owner(), pages(wanted))) {
      return null;
    }
    BackingFile file = takeWarm(request, pages(wanted));
    boolean reused = file != null;
    if (!reused) {
      file = BackingFile.create(this, path.resolve(request.fileName()), mapped(request.capacity()));
      addLive(file, request.owner());
    }
    boolean ready = false;
    try {
      ready = request.lent() ? claimLent(file, wanted) : grow(file, wanted, request.capacity()) > 0;
      if (ready && reused) {
        file.rename(request.fileName());
        countReuse();
      }
    } finally {
      if (!ready) {
        discard(file);
      }
    }
    return ready ? file : null;
  }

  private long mapped(long capacity) {
    return Math.min(roundUp(capacity, growthBytes), Segment.MAX_CAPACITY);
  }

  /** Nothing of a lent file can be given back, so what is warm of it is claimed, or goes before. */
  private synchronized boolean claimLent(BackingFile file, long wanted) throws IOException {
    if (file.warm > pages(wanted) && reserve(file, file.warm)) {
      return true;
    }
    file.truncate(pages(wanted));
    ledger.set(file, file.used, Math.min(file.warm, pages(wanted)));
    return reserve(file, pages(wanted));
  }

  private long wanted(DirectoryChoice.Request request) {
    return request.ensured() == 0 ? Math.min(growthBytes, request.capacity()) : request.ensured();
  }

  /** Registers a file found at recovery; all of it is used, also beyond capacity and limit. */
  synchronized void adopt(BackingFile file, String owner) throws IOException {
    addLive(file, owner);
    long length = pages(file.length());
    ledger.set(file, length, length);
  }

  /** Counts a file found at recovery whose owner is not in this process. */
  synchronized void adoptForeign(long length) {
    ledger.addForeign(pages(length));
  }

  /**
   * Promises [0, wanted) of the file and makes its pages exist: in whole growth steps if they fit,
   * else in whole pages. Called by one thread at a time per file.
   *
   * @param wanted in bytes, above 0
   * @param capacity how many bytes can be of use
   * @return how many bytes are promised now; 0, and nothing has changed, when the directory's
   *     capacity, the owner's limit, watermark or the real file system has no room
   */
  long grow(BackingFile file, long wanted, long capacity) throws IOException {
    long step = step(wanted, capacity);
    long least = pages(wanted);
    return growTo(file, step) ? step : growTo(file, least) ? least : 0;
  }

  private boolean growTo(BackingFile file, long target) throws IOException {
    long oldUsed;
    long oldWarm;
    synchronized (this) {
      oldUsed = file.used;
      oldWarm = file.warm;
      if (!reserve(file, target)) {
        return false;
      }
    }
    boolean touched = false;
    try {
      touched = target <= oldWarm || touchOrReclaim(file, oldWarm, target);
      return touched;
    } finally {
      settle(file, oldUsed, target, touched);
    }
  }

  /**
   * Accounts [0, length) of the file as used without making its pages exist, so that it can grow up
   * to there.
   *
   * @return false when capacity, the owner's limit or watermark has no room; nothing has changed
   */
  synchronized boolean claim(BackingFile file, long length) throws IOException {
    return reserve(file, pages(length));
  }

  /** Another process has made the pages of [0, length), and makes no more. */
  synchronized void touched(BackingFile file, long length) {
    long pages = pages(length);
    stock.ended(file.capacity(), pages);
    firstTouchedBytes += Math.max(0, pages - file.warm);
    ledger.set(file, Math.max(file.used, pages), Math.max(file.warm, pages));
  }

  /** Ends the claim: what is beyond [0, length) is for others again. */
  synchronized void unclaim(BackingFile file, long length) {
    ledger.set(file, pages(length), file.warm);
  }

  /** Gives back the pages that [0, length) does not need, and what the file claimed. */
  synchronized void shrink(BackingFile file, long length) throws IOException {
    long kept = pages(length);
    file.truncate(kept);
    ledger.set(file, Math.min(file.used, kept), Math.min(file.warm, kept));
  }

  /** Forces the content of a file to the device if the tier is synced; returns whether it is. */
  boolean sync(BackingFile file) throws IOException {
    if (tier.synced()) {
      file.force();
    }
    return tier.synced();
  }

  /** Forces the names that were given and removed here to the device. */
  void syncNames() throws IOException {
    if (!isMemory()) {
      files.forceNames(path);
    }
  }

  /** Ends a deleted segment's use of its file: into the pool when that is worth it, else gone. */
  void free(BackingFile file) throws IOException {
    file.closeChannel();
    BackingFile unwanted = file;
    synchronized (this) {
      if (!closed && isMemory() && isPoolable(file)) {
        ledger.set(file, 0, file.warm);
        removeLive(file);
        unwanted = pool.add(file);
        pool.remove(unwanted);
      }
    }
    if (unwanted != null) {
      discard(unwanted);
    }
  }

  private boolean isPoolable(BackingFile file) {
    return file.isFree()
        && !file.isShared()
        && file.capacity() % growthBytes == 0
        && file.warm >= growthBytes
        && ledger.unaccountedBytes() >= 0;
  }

  /** Ends the use of a file whose content stays on the file system for the next store. */
  void detach(BackingFile file) throws IOException {
    remove(file);
    file.close();
  }

  /** Truncates first, because the mapping keeps pages alive until it is garbage collected. */
  void discard(BackingFile file) throws IOException {
    try {
      file.truncate(0);
      file.unlink();
    } finally {
      remove(file);
      file.close();
    }
  }

  /** The figures of an owner's files, or with null of all. */
  synchronized StoreUsage.DirectoryUsage usage(String owner) {
    SpaceLedger.Account account = owner == null ? ledger.total() : ledger.account(owner);
    return new StoreUsage.DirectoryUsage(
        tier(),
        path,
        account.limitBytes,
        account.usedBytes,
        ledger.freeBytes(account),
        ledger.pooledBytes(),
        account.segments,
        pool.size() + stock.size(),
        firstTouchedBytes,
        reuseCount);
  }

  /** Why it was refused, for an error message. */
  synchronized String describeFull(DirectoryChoice.Request request) {
    SpaceLedger.Account account = ledger.account(request.owner());
    String accounted =
        String.format(
            "tier=%s directory=%s capacityBytes=%d usedBytes=%d pooledBytes=%d limitBytes=%d"
                + " ownUsedBytes=%d requestedBytes=%d",
            tier(),
            path,
            ledger.total().limitBytes,
            ledger.total().usedBytes,
            ledger.pooledBytes(),
            account.limitBytes,
            account.usedBytes,
            step(wanted(request), request.capacity()));
    return isMemory()
        ? accounted
        : accounted
            + String.format(
                " watermark=%s diskTotalBytes=%d diskUsableBytes=%d",
                tier.watermark(), path.toFile().getTotalSpace(), path.toFile().getUsableSpace());
  }

  /** Gives the pool back when no segment has been live for {@code idleNanos}; returns its bytes. */
  synchronized long releaseIdle(long idleNanos) throws IOException {
    boolean idle = live.isEmpty() && nanoClock.getAsLong() - idleSinceNanos >= idleNanos;
    if (idle) {
      stock.forget();
    }
    return idle ? discardPool() : 0;
  }

  /** Whether {@link #warmAhead} may have something to do. */
  synchronized boolean wantsWarmAhead() {
    return isMemory() && !stock.isComplete();
  }

  /** What {@link StockFiller#step} says; by one thread at a time. */
  long warmAhead() throws IOException {
    return filler.step();
  }

  /** Under the monitor: how many bytes may be made warm now, at most. */
  long roomAhead() {
    long free = ledger.unaccountedBytes() - ledger.total().limitBytes / STOCK_PART;
    return closed || !isMemory() ? 0 : free / pageBytes * pageBytes;
  }

  /** Under the monitor: pages were made that nobody has asked for yet. */
  void madeAhead(BackingFile file, long warm) {
    firstTouchedBytes += warm - file.warm;
    ledger.set(file, 0, warm);
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
  @Override
  public void close() throws IOException {
    try {
      synchronized (this) {
        for (BackingFile file : live) {
          if (file.isFree()) {
            file.unlink();
          }
        }
      }
    } finally {
      lock.close();
    }
    if (isMemory()) {
      try {
        Files.deleteIfExists(path);
      } catch (DirectoryNotEmptyException e) {
        LOG.info("directory={} stays: it holds segments for the next store", path);
      }
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
              ledger.total().limitBytes,
              e.getMessage());
          return false;
        }
      }
    }
  }

  /** The message may be in the locale's language, so a full file system counts as evidence too. */
  private boolean isNoSpace(IOException e, long wanted) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left")
        || message.contains("quota exceeded")
        || path.toFile().getUsableSpace() < wanted;
  }

  private synchronized void settle(BackingFile file, long oldUsed, long target, boolean touched)
      throws IOException {
    if (touched) {
      firstTouchedBytes += Math.max(0, target - file.warm);
      ledger.set(file, file.used, Math.max(file.warm, target));
    } else {
      ledger.set(file, oldUsed, file.warm);
      file.truncate(file.warm);
    }
  }

  /**
   * Under the monitor: accounts [0, target) of the file as used if there is room; trims pooled
   * bytes when some is missing.
   */
  private boolean reserve(BackingFile file, long target) throws IOException {
    boolean reserved = target <= file.used;
    if (!reserved && hasRoom(file, target)) {
      ledger.set(file, target, file.warm);
      reserved = true;
    }
    return reserved;
  }

  private boolean hasRoom(BackingFile file, long target) throws IOException {
    if (target - file.used > file.account.leftBytes()) {
      return false;
    }
    long fresh = Math.max(0, target - Math.max(file.warm, file.used));
    long missing = fresh - ledger.unaccountedBytes();
    if (fresh > 0 && missing > 0) {
      long reclaimable = ledger.pooledBytes() - SpaceLedger.spare(file);
      if (missing > reclaimable || reclaim(missing, file) < missing) {
        return false;
      }
    }
    return fresh == 0 || belowWatermark() >= fresh;
  }

  private synchronized boolean isWithinLimit(String owner, long bytes) {
    return bytes <= ledger.account(owner).leftBytes();
  }

  /** How many bytes the disk can take up to its watermark; memory has none. */
  private long belowWatermark() {
    if (isMemory()) {
      return Long.MAX_VALUE;
    }
    long total = path.toFile().getTotalSpace();
    return path.toFile().getUsableSpace() - (total - (long) (total * tier.watermark()));
  }

  /**
   * Gives back what is kept for later, then pooled bytes, coldest segments first, then what live
   * segments have to spare.
   */
  private synchronized long reclaim(long wanted, BackingFile except) throws IOException {
    long freed = 0;
    while (freed < wanted && stock.size() > 0) {
      freed += discardLast();
    }
    while (freed < wanted && pool.size() > 0) {
      BackingFile coldest = pool.coldest();
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
    long cut = Math.min(pages(wanted), SpaceLedger.spare(file));
    if (cut > 0) {
      file.truncate(file.warm - cut);
      ledger.set(file, file.used, file.warm - cut);
    }
    return cut;
  }

  /**
   * For another process there are zeros, or old bytes of its owner, of which it may open all that
   * are there: never those of others.
   */
  private synchronized BackingFile takeWarm(DirectoryChoice.Request request, long wanted) {
    long capacity = request.capacity();
    SpaceLedger.Account account = ledger.account(request.owner());
    BackingFile file = request.lent() ? stock.take(capacity, wanted) : null;
    if (file == null) {
      file =
          pool.take(
              capacity,
              roundUp(capacity, growthBytes),
              pooled ->
                  !request.lent()
                      || pooled.former == account && WarmStock.isBounded(pooled, wanted));
    }
    if (file != null) {
      addLive(file, request.owner());
    }
    return file;
  }

  private long discardLast() throws IOException {
    BackingFile last = stock.last();
    long warm = last.warm;
    stock.remove(last);
    discard(last);
    return warm;
  }

  private long discardPool() throws IOException {
    long released = 0;
    while (stock.size() > 0) {
      released += discardLast();
    }
    while (pool.size() > 0) {
      BackingFile file = pool.coldest();
      pool.remove(file);
      released += file.warm;
      discard(file);
    }
    if (released > 0) {
      LOG.debug("directory={} released pooledBytes={}", path, released);
    }
    return released;
  }

  private synchronized void addLive(BackingFile file, String owner) {
    ledger.assign(file, owner);
    live.add(file);
  }

  private synchronized void remove(BackingFile file) {
    ledger.set(file, 0, 0);
    removeLive(file);
  }

  private void removeLive(BackingFile file) {
    if (live.remove(file)) {
      ledger.unassign(file);
      idleSinceNanos = nanoClock.getAsLong();
    }
  }

  private synchronized void countReuse() {
    reuseCount++;
  }
}

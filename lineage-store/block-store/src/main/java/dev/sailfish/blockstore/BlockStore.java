package dev.sailfish.blockstore;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node-local store that chunks and blocks live in: named segments in memory first, on disk
 * behind it. The package description tells about tiers, pool, accounting and crashes.
 *
 * <p>Thread-safe. {@link #find} takes no lock; allocations run concurrently with each other and
 * with everything on segments; {@link #close} waits for running allocations.
 */
public final class BlockStore implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockStore.class);

  private final List<StoreDirectory> directories;
  private final long idleReleaseNanos;

  /** Names in use by a segment or by a running allocation or delete; outlives the map's entry. */
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  private final Map<String, Segment> segments = new ConcurrentHashMap<>();
  private final ReadWriteLock lifecycle = new ReentrantReadWriteLock();
  private RecoveryReport recovery;
  private boolean closed;

  private BlockStore(List<StoreDirectory> directories, long idleReleaseNanos) {
    this.directories = List.copyOf(directories);
    this.idleReleaseNanos = idleReleaseNanos;
  }

  /**
   * Creates missing directories (mode 0700), locks all of them and registers the segments they
   * hold.
   *
   * @param nanoClock monotonic nanoseconds, as {@link System#nanoTime()}
   * @throws StoreLockedException when another live store holds one of the directories
   * @throws IOException when a directory cannot be created, written or read, or is writable by
   *     every user, or two directories hold a segment of the same name
   */
  public static BlockStore open(BlockStoreConfig config, LongSupplier nanoClock)
      throws IOException {
    List<StoreDirectory> opened = new ArrayList<>();
    boolean done = false;
    try {
      for (Map.Entry<BlockStoreConfig.DiskDirectory, Tier> place : places(config).entrySet()) {
        opened.add(openDirectory(place.getKey(), place.getValue(), config, nanoClock));
      }
      BlockStore store = new BlockStore(opened, config.idleRelease().toNanos());
      store.recovery = new SegmentRecovery(store).recover();
      done = true;
      return store;
    } finally {
      if (!done) {
        closeAll(opened);
      }
    }
  }

  private static Map<BlockStoreConfig.DiskDirectory, Tier> places(BlockStoreConfig config) {
    Map<BlockStoreConfig.DiskDirectory, Tier> places = new LinkedHashMap<>();
    config
        .memoryDirectory()
        .ifPresent(
            path ->
                places.put(
                    new BlockStoreConfig.DiskDirectory(path, config.memoryBytes()), Tier.MEMORY));
    config.diskDirectories().forEach(disk -> places.put(disk, Tier.DISK));
    return places;
  }

  private static StoreDirectory openDirectory(
      BlockStoreConfig.DiskDirectory place,
      Tier tier,
      BlockStoreConfig config,
      LongSupplier nanoClock)
      throws IOException {
    DirectoryLock lock = DirectoryLock.acquire(place.directory());
    boolean done = false;
    try {
      StoreDirectory directory =
          new StoreDirectory(tier, lock, place.capacityBytes(), config, nanoClock);
      done = true;
      return directory;
    } finally {
      if (!done) {
        lock.close();
      }
    }
  }

  /** What was found in the directories when the store was opened. */
  public RecoveryReport recovery() {
    return recovery;
  }

  /**
   * A new, empty, open segment, with its first growth step ensured. {@link Tier#MEMORY} tries the
   * memory directory and then the disk directories, those with most room first; {@link Tier#DISK}
   * tries the disk directories only.
   *
   * @param name matches {@code [A-Za-z0-9._-]{1,120}}; of no other segment
   * @param capacity bytes it can grow to, in [1, {@link Segment#MAX_CAPACITY}]; only what is
   *     ensured is accounted
   * @return the segment, with the store's reference only: who writes while others may delete it
   *     retains it
   * @throws NoSpaceException when no directory can take the first growth step
   * @throws IllegalArgumentException when the name or capacity is invalid
   * @throws IllegalStateException when the name is taken or the store is closed
   */
  public Segment allocate(String name, long capacity, Tier preferred) throws NoSpaceException {
    SegmentFileName.requireSegmentName(name);
    if (capacity < 1 || capacity > Segment.MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "segment name="
              + name
              + " capacity="
              + capacity
              + " must be in [1, "
              + Segment.MAX_CAPACITY
              + "]");
    }
    lifecycle.readLock().lock();
    try {
      if (closed) {
        throw new IllegalStateException("store is closed: allocate name=" + name);
      }
      if (!names.add(name)) {
        throw new IllegalStateException("segment name=" + name + " is taken");
      }
      return allocateNamed(name, capacity, preferred);
    } finally {
      lifecycle.readLock().unlock();
    }
  }

  private Segment allocateNamed(String name, long capacity, Tier preferred)
      throws NoSpaceException {
    Segment segment = null;
    List<IOException> failures = new ArrayList<>();
    try {
      for (StoreDirectory directory : candidates(preferred, failures)) {
        segment = tryAllocate(directory, name, capacity, failures);
        if (segment != null) {
          segments.put(name, segment);
          return segment;
        }
      }
      throw noSpace(name, capacity, preferred, failures);
    } finally {
      if (segment == null) {
        names.remove(name);
      }
    }
  }

  private Segment tryAllocate(
      StoreDirectory directory, String name, long capacity, List<IOException> failures) {
    try {
      BackingFile file = directory.allocate(name, capacity);
      return file == null ? null : Segment.created(this, directory, file, name, capacity);
    } catch (IOException e) {
      LOG.warn("directory={} cannot take segment name={}", directory.path(), name, e);
      failures.add(e);
      return null;
    }
  }

  private List<StoreDirectory> candidates(Tier preferred, List<IOException> failures) {
    record Candidate(StoreDirectory directory, long freeBytes) {}

    List<Candidate> disks = new ArrayList<>();
    List<StoreDirectory> result = new ArrayList<>();
    for (StoreDirectory directory : directories) {
      if (directory.tier() == Tier.MEMORY) {
        if (preferred == Tier.MEMORY) {
          result.add(directory);
        }
        continue;
      }
      try {
        disks.add(new Candidate(directory, directory.freeBytes()));
      } catch (IOException e) {
        LOG.warn("directory={} cannot tell its free space", directory.path(), e);
        failures.add(e);
      }
    }
    disks.sort(Comparator.comparingLong(Candidate::freeBytes).reversed());
    disks.forEach(disk -> result.add(disk.directory()));
    return result;
  }

  private NoSpaceException noSpace(
      String name, long capacity, Tier preferred, List<IOException> failures) {
    StringBuilder message =
        new StringBuilder("no space for segment name=")
            .append(name)
            .append(" capacity=")
            .append(capacity)
            .append(" preferred=")
            .append(preferred);
    for (StoreDirectory directory : directories) {
      if (preferred == Tier.MEMORY || directory.tier() == Tier.DISK) {
        message.append("; ").append(directory.describeFull(capacity));
      }
    }
    NoSpaceException exception = new NoSpaceException(message.toString());
    failures.forEach(exception::addSuppressed);
    return exception;
  }

  /** The segment of that name; retain it before use when others may delete it. */
  public Optional<Segment> find(String name) {
    return Optional.ofNullable(segments.get(name));
  }

  /** A sorted snapshot of the names of all segments. */
  public Collection<String> names() {
    return new TreeSet<>(segments.keySet());
  }

  /** A snapshot of the accounting. */
  public StoreUsage usage() {
    List<StoreUsage.DirectoryUsage> usages = new ArrayList<>();
    for (StoreDirectory directory : directories) {
      usages.add(directory.usage());
    }
    return new StoreUsage(usages);
  }

  /**
   * Gives pooled memory back to the system when the memory tier has held no live segment for the
   * configured idle time. Call it now and then, from any thread.
   *
   * @return the bytes given back
   */
  public long releaseIdle() {
    try {
      long released = 0;
      for (StoreDirectory directory : directories) {
        released += directory.releaseIdle(idleReleaseNanos);
      }
      return released;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot release idle segments", e);
    }
  }

  /**
   * Removes pooled files, keeps the files of segments for the next {@link #open}, which finds them
   * as after a crash, and lets go of the directories; an empty memory directory is removed. Who
   * wants a segment gone deletes it before. Who still holds a reference may go on reading until the
   * next store changes the file. Idempotent.
   */
  @Override
  public void close() throws IOException {
    lifecycle.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      try {
        for (StoreDirectory directory : directories) {
          directory.closePool();
        }
        for (Segment segment : List.copyOf(segments.values())) {
          segment.closeWithStore();
        }
      } finally {
        segments.clear();
        closeAll(directories);
      }
    } finally {
      lifecycle.writeLock().unlock();
    }
  }

  private static void closeAll(List<StoreDirectory> directories) throws IOException {
    IOException failure = null;
    for (StoreDirectory directory : directories) {
      try {
        directory.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  List<StoreDirectory> directories() {
    return directories;
  }

  /** Registers a recovered segment. */
  void register(Segment segment, Path file) throws IOException {
    Segment other = segments.putIfAbsent(segment.name(), segment);
    if (other != null) {
      throw new IOException(
          "segment name="
              + segment.name()
              + " is in two directories: "
              + other.path()
              + " and "
              + file
              + "; remove one of the files");
    }
    names.add(segment.name());
  }

  /** Takes a segment out of the namespace; its name stays taken until {@link #releaseName}. */
  void unlist(Segment segment) {
    segments.remove(segment.name(), segment);
  }

  /** Makes a name available again. */
  void releaseName(String name) {
    names.remove(name);
  }
}

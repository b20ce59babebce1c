package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.StoreFiles;
import dev.sailfish.blockstore.file.StoreLockedException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;

/**
 * The node-local store that chunks and blocks live in: named segments of several owners in memory
 * first, on disks behind it. The package description tells about tiers, pool, accounting and
 * crashes.
 *
 * <p>Thread-safe; {@link #close} waits for running allocations and moves.
 */
public final class BlockStore implements Closeable {
  private final DirectoryChoice placement;
  private final long idleReleaseNanos;
  private final Map<String, Owner> owners = new LinkedHashMap<>();
  private final ReadWriteLock lifecycle = new ReentrantReadWriteLock();
  private boolean closed;

  private BlockStore(List<StoreDirectory> directories, BlockStoreConfig config) {
    this.placement = new DirectoryChoice(List.copyOf(directories));
    this.idleReleaseNanos = config.idleRelease().toNanos();
    config.owners().forEach(owner -> owners.put(owner.name(), new Owner(owner.name(), this)));
  }

  /** {@link #open(BlockStoreConfig, LongSupplier, StoreFiles)} on this machine's file systems. */
  public static BlockStore open(BlockStoreConfig config, LongSupplier nanoClock)
      throws IOException {
    return open(config, nanoClock, StoreFiles.LOCAL);
  }

  /**
   * Creates missing directories (mode 0700), locks all of them and gives the owners the segments
   * they hold.
   *
   * @param nanoClock monotonic nanoseconds, as {@link System#nanoTime()}
   * @throws StoreLockedException when another live store holds one of the directories
   * @throws IOException when a directory cannot be created, written or read, or is writable by
   *     every user, or two files are the same segment
   */
  public static BlockStore open(BlockStoreConfig config, LongSupplier nanoClock, StoreFiles files)
      throws IOException {
    List<StoreDirectory> opened = new ArrayList<>();
    try {
      for (BlockStoreConfig.TierConfig tier : config.tiers()) {
        for (BlockStoreConfig.Directory place : tier.directories()) {
          opened.add(new StoreDirectory(tier, place, config, nanoClock, files));
        }
      }
      BlockStore store = new BlockStore(opened, config);
      new SegmentRecovery(store.owners, files).recover(opened);
      return store;
    } catch (IOException | RuntimeException | Error e) {
      closeAll(opened);
      throw e;
    }
  }

  /**
   * One of the configured owners.
   *
   * @throws IllegalArgumentException when it is none
   */
  public Owner owner(String name) {
    Owner owner = owners.get(name);
    if (owner == null) {
      throw new IllegalArgumentException(
          "block store: owner=" + name + " is not configured, but " + owners.keySet());
    }
    return owner;
  }

  /** A snapshot of the accounting of all owners. */
  public StoreUsage usage() {
    return usage(null);
  }

  StoreUsage usage(String owner) {
    return new StoreUsage(
        placement.directories().stream().map(directory -> directory.usage(owner)).toList());
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
      for (StoreDirectory directory : placement.directories()) {
        released += directory.releaseIdle(idleReleaseNanos);
      }
      return released;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot release idle segments", e);
    }
  }

  /** Whether {@link #warmAhead} may have something to do; costs next to nothing. */
  public boolean wantsWarmAhead() {
    enter();
    try {
      return placement.directories().stream().anyMatch(StoreDirectory::wantsWarmAhead);
    } finally {
      leave();
    }
  }

  /**
   * Makes some memory warm for segments that will be {@link Owner#lend lent}: files of zeros, like
   * those that were lent of late, up to what the configuration allows and as long as a quarter of
   * the directory is free besides. They are given back when there is no other room. Call it in idle
   * times, from one thread, again while it returns more than 0; each call takes a few milliseconds.
   *
   * @return how many bytes
   * @throws IllegalStateException when the store is closed
   */
  public long warmAhead() {
    enter();
    try {
      long warmed = 0;
      for (StoreDirectory directory : placement.directories()) {
        warmed += directory.warmAhead();
      }
      return warmed;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make memory ahead", e);
    } finally {
      leave();
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
        for (StoreDirectory directory : placement.directories()) {
          directory.closePool();
        }
        owners.values().forEach(Owner::close);
      } finally {
        closeAll(placement.directories());
      }
    } finally {
      lifecycle.writeLock().unlock();
    }
  }

  /** Closes each, the last one first, also when others cannot be closed. */
  private static void closeAll(List<StoreDirectory> directories) throws IOException {
    if (!directories.isEmpty()) {
      StoreDirectory first = directories.get(0);
      try (first) {
        closeAll(directories.subList(1, directories.size()));
      }
    }
  }

  DirectoryChoice placement() {
    return placement;
  }

  boolean has(Tier tier) {
    return placement.directories().stream().anyMatch(directory -> directory.tier() == tier);
  }

  /**
   * Keeps the store from being closed until {@link #leave}.
   *
   * @throws IllegalStateException when it is closed
   */
  void enter() {
    lifecycle.readLock().lock();
    if (closed) {
      lifecycle.readLock().unlock();
      throw new IllegalStateException("the block store is closed");
    }
  }

  void leave() {
    lifecycle.readLock().unlock();
  }
}

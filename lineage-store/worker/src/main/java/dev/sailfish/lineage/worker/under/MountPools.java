package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import java.io.Closeable;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * The threads that wait for under stores: those of one mount never wait for another one. Threads
 * end when they are idle. Thread-safe.
 */
final class MountPools implements Closeable {
  /** Pieces of one copy that may wait. */
  private static final int PIECES = 16;

  private static final int FILES = 1_000;

  /** Who orders copies in the background says how many are made at once. */
  private static final int IN_BACKGROUND = 64;

  private final int copiesAtOnce;
  private final Map<Mount, Pools> pools = new HashMap<>();
  private boolean closed;

  /** For what clients wait for, for whole files, and for whole files that nobody waits for. */
  private record Pools(BoundedPool calls, BoundedPool copies, BoundedPool background) {
    private List<BoundedPool> all() {
      return List.of(calls, copies, background);
    }

    void close() {
      all().forEach(BoundedPool::shutdownNow);
    }

    boolean isIdle() {
      return all().stream()
          .allMatch(pool -> pool.getActiveCount() == 0 && pool.getQueue().isEmpty());
    }
  }

  /**
   * @param copiesAtOnce how many whole files are copied to one mount at once
   */
  MountPools(int copiesAtOnce) {
    this.copiesAtOnce = copiesAtOnce;
  }

  /** For single calls and pieces; as many threads as the mount may have open files. */
  Executor calls(Mount mount) {
    return pools(mount).calls;
  }

  /** For whole files. */
  Executor copies(Mount mount) {
    return pools(mount).copies;
  }

  /** For whole files that nobody waits for. */
  Executor background(Mount mount) {
    return pools(mount).background;
  }

  private synchronized Pools pools(Mount mount) {
    return pools.computeIfAbsent(mount, this::open);
  }

  private Pools open(Mount mount) {
    int streams = mount.get(MountKey.STREAMS);
    Pools opened =
        new Pools(
            new BoundedPool(
                "lineage-worker-below", streams, mount.get(MountKey.WAITING) + PIECES * streams),
            new BoundedPool("lineage-worker-copies", Math.min(copiesAtOnce, streams), FILES),
            new BoundedPool("lineage-worker-checkpoints", Math.min(IN_BACKGROUND, streams), FILES));
    if (closed) {
      opened.close();
    }
    return opened;
  }

  /** Whether there are any. */
  synchronized boolean isUsed() {
    return !pools.isEmpty();
  }

  /** Forgets those of mounts that are there no more, once they are idle. */
  synchronized void keep(Collection<Mount> known) {
    pools
        .entrySet()
        .removeIf(
            entry -> {
              boolean isLeft = !known.contains(entry.getKey()) && entry.getValue().isIdle();
              if (isLeft) {
                entry.getValue().close();
              }
              return isLeft;
            });
  }

  /** Interrupts what waits. */
  @Override
  public synchronized void close() {
    closed = true;
    pools.values().forEach(Pools::close);
  }
}

package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.lineage.worker.block.Arrivals;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.PeerCopier;
import dev.sailfish.lineage.worker.block.Peers;
import dev.sailfish.lineage.worker.block.Spares;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that a worker does below, and what readers have it fetch from other workers: it opens each
 * mount when a file there is asked for, and forgets it when it is mounted no more. An under store
 * that hangs keeps the threads of its own mount and no other ones. Thread-safe.
 */
public final class UnderWork implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(UnderWork.class);
  private static final int LOOKUP_THREADS = 8;
  private static final int LOOKUPS_WAITING = 2_000;
  private static final long MOUNTS_PERIOD_NS = TimeUnit.MINUTES.toNanos(1);
  private static final long CLOSE_DEADLINE_MS = 5_000;

  private final Clock clock;
  private final MasterCalls master;
  private final BoundedPool lookups =
      new BoundedPool("lineage-worker-lookups", LOOKUP_THREADS, LOOKUPS_WAITING);
  private final MountPools pools;
  private final UnderStores stores;
  private final Readers readers;
  private final CopyStreams streams;
  private final FileCopies copies;
  private final OrderedCopies ordered;
  private final BlockLoads loads;
  private final PeerLoads peerLoads;
  private final DirectReads reads;
  private final Rewrites rewrites;
  private long nextMountsNs;

  /**
   * How much is done at once.
   *
   * @param copies of complete files to one mount
   * @param streams copies that clients write
   * @param silence after which it is asked whether such a copy is still written
   */
  public record Limits(int copies, int streams, Duration silence) {}

  /**
   * What is here, and comes here.
   *
   * @param arrivals what is on its way
   * @param spares may go because others have them, too
   * @param copier copies blocks of other workers
   * @param peers connects to other workers
   * @param busy whether no processor of this host is idle
   */
  public record Store(
      BlockTable blocks,
      Arrivals arrivals,
      Spares spares,
      PeerCopier copier,
      Peers peers,
      BooleanSupplier busy) {}

  /**
   * @param connector makes a further client of the masters
   */
  public UnderWork(
      Supplier<LeaderClient> connector,
      Store store,
      Metrics<LineageWorkerMetric> metrics,
      Clock clock,
      Limits limits) {
    this.clock = clock;
    BlockTable blocks = store.blocks;
    master = new MasterCalls(connector, new SecureRandom().nextLong() | 1);
    pools = new MountPools(limits.copies());
    stores = new UnderStores(clock);
    UnderAccess access = new UnderAccess(master, lookups, pools, stores, clock);
    BlockAppender appender = new BlockAppender(blocks, store.peers);
    Recorder recorder = new Recorder(master, blocks, metrics);
    UnderFiles files = new UnderFiles(access);
    readers = new Readers(access, files);
    streams =
        new CopyStreams(
            access, appender, recorder, metrics, limits.streams(), limits.silence().toNanos());
    copies = new FileCopies(access, blocks, appender, recorder);
    ordered = new OrderedCopies(copies, new Pace(clock, store.busy));
    loads = new BlockLoads(access, files, readers, store.arrivals, blocks, metrics);
    peerLoads = new PeerLoads(master, store.arrivals, store.copier, store.spares, metrics);
    reads = new DirectReads(access, files, readers, metrics);
    rewrites = new Rewrites(master, lookups);
    nextMountsNs = clock.nanoTime() + MOUNTS_PERIOD_NS;
  }

  /** Copies that clients write. */
  public CopyStreams streams() {
    return streams;
  }

  /** Copies of complete files. */
  public FileCopies copies() {
    return copies;
  }

  /** Copies that the master has ordered. */
  public OrderedCopies ordered() {
    return ordered;
  }

  /** Blocks that are copied from other workers for readers here. */
  public PeerLoads peerLoads() {
    return peerLoads;
  }

  /** Blocks that are loaded from below. */
  public BlockLoads loads() {
    return loads;
  }

  /** Blocks of lost files that are written again. */
  public Rewrites rewrites() {
    return rewrites;
  }

  /** Bytes that are not kept. */
  public DirectReads reads() {
    return reads;
  }

  /** To be called about each second, by one thread; does not wait. */
  public void tick() {
    streams.tick();
    readers.tick();
    if (clock.nanoTime() - nextMountsNs >= 0) {
      nextMountsNs = clock.nanoTime() + MOUNTS_PERIOD_NS;
      try {
        lookups.execute(this::keepMounts);
      } catch (RejectedExecutionException e) {
        LOG.debug("mounts are asked for later", e);
      }
    }
  }

  private void keepMounts() {
    if (!pools.isUsed()) {
      return;
    }
    try {
      List<Mount> mounts = master.mounts();
      pools.keep(mounts);
      stores.keep(mounts);
    } catch (IOException | IllegalArgumentException e) {
      LOG.debug("what is mounted is not known, and all stays open", e);
    }
  }

  /** Gives up what is written; waits for that for some seconds. */
  @Override
  public void close() {
    try {
      streams.abandonAll().get(CLOSE_DEADLINE_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("copies that were being written are left below under temporary names", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    peerLoads.close();
    lookups.shutdownNow();
    pools.close();
    stores.close();
    master.close();
  }
}

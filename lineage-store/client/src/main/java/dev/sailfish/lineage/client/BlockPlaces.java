package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.lineage.client.LoadsAhead.Loaded;
import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.BlockReader;
import dev.sailfish.lineage.client.lost.LostFileWait;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import dev.sailfish.lineage.protocol.wire.BlockLocation;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where the blocks of an open file are, and the way to the nearest copy. For one thread. */
final class BlockPlaces {
  /** Between two questions to the master for workers that give a block, or take one. */
  static final RetryPolicy RETRY = new RetryPolicy(20, 1_000);

  private static final int BLOCKS_PER_QUESTION = 1_000;

  /** Blocks that are asked for when a file is opened. */
  static final int FIRST_BLOCKS = 100;

  private static final int TIER_BITS = 2;
  private static final int TIERS = 1 << TIER_BITS;

  private final NamespaceClient namespace;
  private final BlockAccess access;
  private final FileEntry entry;
  private final FileGrant grant;
  private final Below below;
  private final LocalCopies copies;
  private final LostFileWait lost;
  private final Clock clock;
  private final Duration patience;
  private final Map<Integer, List<Integer>> places = new HashMap<>();
  private final Map<Integer, WorkerAddress> workers = new HashMap<>();

  // Blocks of which is known where they are, or that no worker has them.
  private int knownFrom;
  private int knownTo;

  /** Copies that did not do. */
  private final Set<Long> refused = new HashSet<>();

  /**
   * @param grant of the file; renewed here
   * @param below the blocks that no worker has
   * @param copies blocks that come to this host
   * @param config its clock, how long a block is looked for that no worker gives, and how long a
   *     lost file is waited for
   */
  BlockPlaces(
      NamespaceClient namespace,
      BlockAccess access,
      OpenFileResponse opened,
      FileGrant grant,
      Below below,
      LocalCopies copies,
      StoreClientConfig config) {
    this.namespace = namespace;
    this.access = access;
    this.entry = opened.getEntry();
    this.grant = grant;
    this.below = below;
    this.copies = copies;
    this.clock = config.network();
    this.patience = config.patience();
    this.lost =
        new LostFileWait(
            entry,
            config.lost(),
            clock,
            () -> Lineage.wantRecorded(namespace, entry.getFid(), config.lost().application()));
    learn(opened, 0, FIRST_BLOCKS);
  }

  private void learn(OpenFileResponse told, int first, int count) {
    knownFrom = first;
    knownTo = first + count;
    grant.renewed(told.getBlockToken());
    for (BlockLocation block : told.getBlocksList()) {
      places.put(block.getBlock(), block.getPlacesList());
    }
    below.again(told.getReadersList());
    copies.near(told.hasNear() ? told.getNear() : null);
    told.getWorkersList().forEach(worker -> workers.put(worker.getNumber(), worker));
  }

  /** How long a block is. */
  long length(int block) {
    return Math.min(entry.getBlockSize(), entry.getLength() - block * entry.getBlockSize());
  }

  /** A block's reader, and where it reads. */
  record Opened(int block, WorkerAddress worker, BlockReader reader, boolean isBelow) {}

  /**
   * Opens a block at the nearest worker that gives it, and tries for some time; waits for one that
   * is lost and can be recomputed.
   *
   * @throws IOException when none does
   */
  Opened open(int block) throws IOException {
    learnCopy(block);
    long endNs = clock.nanoTime() + patience.toNanos();
    List<IOException> reasons = new ArrayList<>();
    for (int failures = 1; ; failures++) {
      boolean isExpired = false;
      for (int place : nearestFirst(block)) {
        WorkerAddress worker = workers.get(place >>> TIER_BITS);
        try {
          return opened(block, worker);
        } catch (IOException e) {
          reasons.add(e);
          refuse(block, worker, e);
          isExpired |= FileGrant.isExpired(e);
        }
      }
      // What the master names may have gone a moment ago: below it is in any case.
      boolean isNamed = places.containsKey(block);
      boolean isLeft = isNowhere(block) || isNamed && below.isRead();
      Opened fromBelow = isLeft ? openBelow(block, reasons) : null;
      if (fromBelow != null) {
        return fromBelow;
      }
      if (!isExpired && !below.isThere() && lost.waits()) {
        endNs = clock.nanoTime() + patience.toNanos();
        reasons.clear();
      } else {
        long nextNs = clock.nanoTime() + RETRY.waitNs(failures, clock.nanoTime());
        if (nextNs - endNs > 0) {
          throw nowhere(block, reasons);
        }
        boolean isWorthAWait = (isLeft || isNamed) && !isExpired;
        if (isWorthAWait || failures > 1) {
          clock.pause(nextNs, "block " + block + " of " + entry.getName());
        }
      }
      refused.clear();
      places.remove(block);
      learn(
          namespace.locate(entry.getFid(), block, BLOCKS_PER_QUESTION), block, BLOCKS_PER_QUESTION);
    }
  }

  private IOException nowhere(int block, List<IOException> reasons) {
    IOException none =
        new IOException(
            "no worker gives block %d of %s (fid=%016x)"
                .formatted(block, entry.getName(), entry.getFid()));
    reasons.forEach(none::addSuppressed);
    return none;
  }

  private Opened opened(int block, WorkerAddress worker) throws IOException {
    return new Opened(block, worker, access.open(worker, grant.name(block), length(block)), false);
  }

  /** Whether the file is below, and the master has said that no worker has the block. */
  private boolean isNowhere(int block) {
    boolean isKnown = block >= knownFrom && block < knownTo;
    return below.isThere() && isKnown && !places.containsKey(block);
  }

  /** Loads it and opens it where it is then, or opens it below; null when neither can be now. */
  private Opened openBelow(int block, List<IOException> reasons) throws IOException {
    Loaded loaded = below.load(block);
    if (loaded != null) {
      WorkerAddress worker = loaded.worker();
      workers.put(worker.getNumber(), worker);
      try {
        Opened opened = opened(block, worker);
        places.put(block, List.of(loaded.place()));
        return opened;
      } catch (IOException e) {
        reasons.add(e); // dropped again already
      }
    }
    Below.Direct direct = below.open(block, length(block));
    return direct == null ? null : new Opened(block, direct.worker(), direct.reader(), true);
  }

  /** Has a block loaded that will be read next, if no worker has it. */
  void expect(int block) {
    boolean isThere = block * entry.getBlockSize() < entry.getLength();
    if (isThere && below.loads() && isNowhere(block)) {
      below.loadAhead(block);
    }
  }

  /** A block is read as a stream, from its beginning: it and the next one come to this host. */
  void read(Opened opened) {
    int block = opened.block();
    if (!opened.isBelow() && !access.isOnHost(opened.worker())) {
      copies.begin(block);
    }
    List<Integer> next = nearestFirst(block + 1);
    if (!next.isEmpty() && !isOnHost(next.get(0))) {
      copies.begin(block + 1);
    }
  }

  /** Whether a block that is read elsewhere has come to this host. */
  boolean isNearer(Opened than) {
    Loaded copy = access.isOnHost(than.worker()) ? null : copies.done(than.block());
    return copy != null && !refused.contains(key(than.block(), copy.worker()));
  }

  private void learnCopy(int block) {
    Loaded copy = copies.done(block);
    if (copy != null) {
      workers.put(copy.worker().getNumber(), copy.worker());
      List<Integer> known = new ArrayList<>(places.getOrDefault(block, List.of()));
      known.remove((Integer) copy.place());
      known.add(0, copy.place());
      places.put(block, known);
    }
  }

  private boolean isOnHost(int place) {
    return access.isOnHost(workers.get(place >>> TIER_BITS));
  }

  private List<Integer> nearestFirst(int block) {
    List<Integer> known = new ArrayList<>(places.getOrDefault(block, List.of()));
    known.removeIf(
        place -> {
          WorkerAddress worker = workers.get(place >>> TIER_BITS);
          return worker == null || refused.contains(key(block, worker));
        });
    known.sort(Comparator.comparingInt(this::distance));
    return known;
  }

  /**
   * Memory, a solid-state disk and a hard disk here, then the same in this rack, then elsewhere
   * ("Big Data Analytics on Traditional HPC Infrastructure Using Two-Level Storage", section 3.2).
   */
  private int distance(int place) {
    return (place & TIERS - 1) + TIERS * access.distance(workers.get(place >>> TIER_BITS));
  }

  private static long key(int block, WorkerAddress worker) {
    return (long) block << Integer.SIZE | worker.getNumber();
  }

  /**
   * A reader failed: another copy is to be tried, or the same one with another token.
   *
   * @throws IOException when that is of no use: the file below is another one now
   */
  void failed(Opened opened, IOException failure) throws IOException {
    opened.reader().close();
    if (FileGrant.isExpired(failure)) {
      int block = opened.block();
      learn(
          namespace.locate(entry.getFid(), block, BLOCKS_PER_QUESTION), block, BLOCKS_PER_QUESTION);
      return;
    }
    if (opened.isBelow()) {
      below.requireUnchanged(failure);
      below.failed(opened.worker());
      return;
    }
    refuse(opened.block(), opened.worker(), failure);
  }

  /** Passes a copy over from now on; its worker hears of it when it is damaged. */
  private void refuse(int block, WorkerAddress worker, IOException failure) {
    refused.add(key(block, worker));
    if (failure instanceof DamagedBlockException) {
      try {
        access.suspect(worker, grant.name(block));
      } catch (IOException e) {
        failure.addSuppressed(e); // its scrubber finds it
      }
    }
  }
}

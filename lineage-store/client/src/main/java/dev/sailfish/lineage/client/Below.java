package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.client.LoadsAhead.Loaded;
import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.BlockReader;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The blocks of an open file that are below, as far as no worker has them. For one thread. */
final class Below {
  private final BlockAccess access;
  private final FileEntry entry;
  private final FileGrant grant;
  private final ReadMode mode;

  /** Workers that read below, the nearest first. */
  private volatile List<WorkerAddress> readers;

  /** Blocks that are being loaded before they are read. */
  private final LoadsAhead ahead;

  /** Workers that did not read what they were asked for. */
  private final Set<Integer> refused = new HashSet<>();

  /**
   * @param grant of the file
   * @param mode never READ_AS_MOUNTED, if the file is below
   */
  Below(
      BlockAccess access,
      OpenFileResponse opened,
      FileGrant grant,
      ReadMode mode,
      Background background) {
    this.access = access;
    this.entry = opened.getEntry();
    this.grant = grant;
    this.readers = nearestFirst(opened.getReadersList());
    this.mode = mode;
    this.ahead = new LoadsAhead(background, this::ask);
  }

  private List<WorkerAddress> nearestFirst(List<WorkerAddress> workers) {
    return workers.stream()
        .sorted(Comparator.comparingInt(access::distance)) // else as they are
        .toList();
  }

  /** A block that a worker reads below. */
  record Direct(WorkerAddress worker, BlockReader reader) {}

  /** Whether all bytes of the file are below. */
  boolean isThere() {
    return entry.getBelow();
  }

  /** Whether what no worker has is read there. */
  boolean isRead() {
    return isThere() && mode != ReadMode.READ_MEMORY;
  }

  /** Whether blocks are loaded before they are read. */
  boolean loads() {
    return isRead() && mode != ReadMode.READ_DIRECT;
  }

  /** Has a block loaded that will be read next, if there is time for it. */
  void loadAhead(int block) {
    ahead.begin(block);
  }

  /**
   * Has a block loaded by the nearest worker, if it is to be.
   *
   * @return null when it is not, because no worker has room or can
   * @throws IOException when the block is not to be read from below at all
   */
  Loaded load(int block) throws IOException {
    if (mode == ReadMode.READ_MEMORY) {
      throw new IOException(
          ("block %d of %s (fid=%016x) is not in memory, and the file was opened to be read from"
                  + " there alone: load the file, or open it to be read mixed or direct")
              .formatted(block, entry.getName(), entry.getFid()));
    }
    if (!loads()) {
      return null;
    }
    CompletableFuture<Loaded> begun = ahead.take(block);
    try {
      return begun == null ? ask(block) : await(begun);
    } catch (IOException e) {
      requireUnchanged(e);
      return null;
    }
  }

  private static Loaded await(CompletableFuture<Loaded> begun) throws IOException {
    try {
      return begun.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted: loading").initCause(e);
    }
  }

  /** On any thread. */
  private Loaded ask(int block) throws IOException {
    IOException last = new IOException("no worker reads below");
    for (WorkerAddress worker : readers) {
      try {
        return new Loaded(worker, grant.with(() -> access.load(worker, grant.name(block))));
      } catch (RemoteException e) {
        throw e; // full, or the file is not there: no other one is to load it
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

  /**
   * Opens a block to be read below by the nearest worker that does.
   *
   * @return null when each has failed since {@link #again}
   */
  Direct open(int block, long length) throws IOException {
    for (WorkerAddress worker : readers) {
      if (!refused.contains(worker.getNumber())) {
        try {
          long start = block * entry.getBlockSize();
          return new Direct(worker, access.openBelow(worker, grant.name(block), length, start));
        } catch (IOException e) {
          refused.add(worker.getNumber());
        }
      }
    }
    return null;
  }

  /** A worker did not read below what it was asked for. */
  void failed(WorkerAddress worker) {
    refused.add(worker.getNumber());
  }

  /**
   * All workers may be asked again.
   *
   * @param now those that read below now, as the master says; empty: as before
   */
  void again(List<WorkerAddress> now) {
    refused.clear();
    if (!now.isEmpty()) {
      readers = nearestFirst(now);
    }
  }

  /**
   * Passes over failures after which it may be tried again.
   *
   * @throws IOException when the file below is not the one that was opened
   */
  void requireUnchanged(IOException failure) throws IOException {
    if (failure instanceof InterruptedIOException) {
      throw failure;
    }
    if (failure instanceof RemoteException refusal && refusal.status() == Status.CONFLICT) {
      throw new IOException(
          "%s has changed below: open it again; %s"
              .formatted(entry.getName(), failure.getMessage()),
          failure);
    }
  }
}

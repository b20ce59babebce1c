package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.Evictor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies complete files below, some at a time; who asks for a file that is being copied waits for
 * the same copy. Nothing waits on the caller's thread. Thread-safe.
 */
public final class FileCopies implements Evictor.Checkpoints {
  private static final Logger LOG = LoggerFactory.getLogger(FileCopies.class);

  /** Files that are copied or wait for that. */
  private static final int MOST = 1_000;

  private static final int AS_MANY_AS_ARE_TOLD = 0;

  private static final int FILES_REMEMBERED = 10_000;
  private static final long ONCE_IN_NS = TimeUnit.MINUTES.toNanos(1);

  private final UnderAccess access;
  private final BlockTable blocks;
  private final BlockAppender appender;
  private final Recorder recorder;
  private final Map<Long, Copy> running = new HashMap<>();

  /** When files were copied because room was short, the oldest first. */
  private final Map<Long, Long> asked = new LinkedHashMap<>();

  /** One that is being made, or waits for that. */
  private static final class Copy {
    private final CompletableFuture<Void> answer = new CompletableFuture<>();
    private final Pace pace; // null: as fast as it goes
    private volatile boolean hurries;

    Copy(Pace pace, boolean hurries) {
      this.pace = pace;
      this.hurries = hurries;
    }
  }

  FileCopies(UnderAccess access, BlockTable blocks, BlockAppender appender, Recorder recorder) {
    this.access = access;
    this.blocks = blocks;
    this.appender = appender;
    this.recorder = recorder;
  }

  /** Copies a file; answered when the copy counts. */
  public CompletableFuture<Void> copy(long fid) {
    return copy(fid, null, true);
  }

  /**
   * The same, beside what is copied for those who wait.
   *
   * @param pace of the copy; null: none
   * @param hurries whether somebody waits for it: also when it was begun for nobody
   */
  synchronized CompletableFuture<Void> copy(long fid, Pace pace, boolean hurries) {
    Copy known = running.get(fid);
    if (known != null) {
      known.hurries |= hurries;
      return known.answer;
    }
    Copy copy = new Copy(pace, hurries);
    CompletableFuture<Void> answer = copy.answer;
    if (running.size() >= MOST) {
      answer.completeExceptionally(
          new RequestRefusedException(
              Status.BUSY, MOST + " files are to be copied at this worker: try again later"));
      return answer;
    }
    running.put(fid, copy);
    answer.whenComplete((done, failed) -> forget(fid));
    attempt(answer, () -> access.lookups().execute(() -> attempt(answer, () -> find(fid, copy))));
    return answer;
  }

  private synchronized void forget(long fid) {
    running.remove(fid);
  }

  private interface Step {
    void run() throws IOException;
  }

  private static void attempt(CompletableFuture<Void> answer, Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(Failures.refusal(e));
    }
  }

  private void find(long fid, Copy copy) throws IOException {
    CompletableFuture<Void> answer = copy.answer;
    Below file = access.master().file(fid, false);
    FileEntry entry = file.entry();
    if (entry.getBelow()) {
      blocks.knowBelow(fid);
      answer.complete(null);
      return;
    }
    if (!entry.getComplete() || entry.getDirectory()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, file + " is not complete: its writer has to close it first");
    }
    List<List<WorkerAddress>> places = places(fid, blocks(entry));
    MountPools pools = access.pools();
    Executor pool = copy.pace == null ? pools.copies(file.mount()) : pools.background(file.mount());
    pool.execute(
        () ->
            attempt(
                answer,
                () -> {
                  write(file, places, copy);
                  answer.complete(null);
                }));
  }

  private static int blocks(FileEntry entry) {
    long size = Math.max(1, entry.getBlockSize());
    return (int) ((entry.getLength() + size - 1) / size);
  }

  /** Of each block; one that the master does not know may be at this worker all the same. */
  private List<List<WorkerAddress>> places(long fid, int count) throws IOException {
    List<List<WorkerAddress>> places = new ArrayList<>(count);
    while (places.size() < count) {
      OpenFileResponse told = access.master().locate(fid, places.size(), AS_MANY_AS_ARE_TOLD);
      Located located = Located.of(told);
      int named = told.getBlocksCount();
      int last = named == 0 ? places.size() : told.getBlocks(named - 1).getBlock();
      while (places.size() < Math.min(count, last + 1)) {
        places.add(located.holders(places.size()));
      }
    }
    return places;
  }

  private void write(Below file, List<List<WorkerAddress>> places, Copy copy) throws IOException {
    FileEntry entry = file.entry();
    try (UnderStores.Use use = access.stores().use(file.mount(), file.owner());
        CopyWriter fast = use.store().write(file.target());
        CopyWriter writer =
            copy.pace == null ? fast : new PacedWriter(fast, copy.pace, () -> copy.hurries)) {
      for (int block = 0; block < places.size(); block++) {
        long start = block * entry.getBlockSize();
        long length = Math.min(entry.getBlockSize(), entry.getLength() - start);
        appender.append(writer, new BlockId(file.fid(), block), length, places.get(block));
      }
      recorder.record(file, use.store(), writer.commit());
    }
  }

  /** Each file at most once a minute. */
  @Override
  public void copy(List<Long> fids) {
    for (long fid : fids) {
      if (isTurn(fid)) {
        copy(fid)
            .exceptionally(
                failure -> {
                  LOG.debug("fid={} is not copied to make room", fid, failure);
                  if (isUnfinished(failure)) {
                    forgetTurn(fid);
                  }
                  return null;
                });
      }
    }
  }

  /** Whether it may be complete in a moment. */
  private static boolean isUnfinished(Throwable failure) {
    return failure instanceof RequestRefusedException refused
        && refused.status() == Status.BAD_REQUEST;
  }

  private void forgetTurn(long fid) {
    synchronized (asked) {
      asked.remove(fid);
    }
  }

  private boolean isTurn(long fid) {
    long nowNs = access.clock().nanoTime();
    synchronized (asked) {
      Long before = asked.get(fid);
      if (before != null && nowNs - before < ONCE_IN_NS) {
        return false;
      }
      asked.remove(fid);
      asked.put(fid, nowNs);
      if (asked.size() > FILES_REMEMBERED) {
        asked.remove(asked.keySet().iterator().next());
      }
      return true;
    }
  }
}

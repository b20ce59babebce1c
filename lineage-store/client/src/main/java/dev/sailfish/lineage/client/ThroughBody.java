package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.CopyWriter;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A file in blocks at workers, and below: while a block is written, a worker copies the one before
 * it.
 */
final class ThroughBody implements FileBody {
  private final BlockAccess access;
  private final FileEntry entry;
  private final FileGrant grant;
  private final List<WorkerAddress> workers;
  private final BlocksBody blocks;

  /** The one thread that has the copy; it is there from the first block on. */
  private ExecutorService thread;

  private Future<?> behind;

  /** Of that thread. */
  private CopyWriter copy;

  /**
   * @param grant of the file
   * @param takers workers that take its blocks
   * @param workers that may write below, the best first
   */
  ThroughBody(
      BlockAccess access,
      FileEntry entry,
      FileGrant grant,
      WritingWorkers takers,
      List<WorkerAddress> workers) {
    this.access = access;
    this.entry = entry;
    this.grant = grant;
    this.workers = workers;
    this.blocks = new BlocksBody(access, entry, grant, takers, this::sealed);
  }

  @Override
  public void write(ByteBuffer bytes, boolean isEnd) throws IOException {
    blocks.write(bytes, isEnd);
  }

  /** Waits for the block before it: the copy is at most one behind. */
  private void sealed(BlockName name, int place, WorkerAddress worker, long length)
      throws IOException {
    await();
    submit(
        () -> {
          begin(worker);
          copy.block(name, place, length);
          return null;
        });
  }

  private void submit(Callable<Void> work) {
    if (thread == null) {
      thread =
          Executors.newSingleThreadExecutor(
              run -> {
                Thread one = new Thread(run, "store-client-copy");
                one.setDaemon(true);
                return one;
              });
    }
    behind = thread.submit(work);
  }

  /** At the worker of the first block, or else at another one. */
  private void begin(WorkerAddress first) throws IOException {
    if (copy == null) {
      List<WorkerAddress> order = new ArrayList<>(workers);
      if (first != null) {
        order.removeIf(worker -> worker.getNumber() == first.getNumber());
        order.add(0, first);
      }
      copy = BelowBody.begin(access, entry, grant, order);
    }
  }

  private void await() throws IOException {
    if (behind == null) {
      return;
    }
    try {
      behind.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure
          ? new IOException(
              "%s is not copied below: %s".formatted(entry.getName(), failure.getMessage()),
              failure)
          : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("interrupted: copying " + entry.getName()).initCause(e);
    }
  }

  @Override
  public List<Integer> end() throws IOException {
    List<Integer> places = blocks.end();
    await();
    submit(
        () -> {
          begin(null);
          copy.end();
          return null;
        });
    await();
    return places;
  }

  @Override
  public OptionalInt checksum() {
    return blocks.checksum();
  }

  /** Does not wait: the copy is given up when the worker has answered. */
  @Override
  public void close() {
    blocks.close();
    if (thread != null) {
      thread.execute(
          () -> {
            if (copy != null) {
              copy.close();
            }
          });
      thread.shutdown();
    }
  }
}

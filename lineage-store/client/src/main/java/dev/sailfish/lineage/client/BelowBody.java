package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.CopyWriter;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;

/** A file that is written below alone, by a worker. */
final class BelowBody implements FileBody {
  private final BlockAccess access;
  private final FileEntry entry;
  private final FileGrant grant;
  private final List<WorkerAddress> workers;
  private CopyWriter copy;

  /**
   * @param grant of the file
   * @param workers that may write it, the best first
   */
  BelowBody(BlockAccess access, FileEntry entry, FileGrant grant, List<WorkerAddress> workers) {
    this.access = access;
    this.entry = entry;
    this.grant = grant;
    this.workers = workers;
  }

  @Override
  public void write(ByteBuffer bytes, boolean isEnd) throws IOException {
    begin();
    copy.write(bytes);
  }

  private void begin() throws IOException {
    if (copy == null) {
      copy = begin(access, entry, grant, workers);
    }
  }

  /** Begins the copy of a file at the first worker that takes it. */
  static CopyWriter begin(
      BlockAccess access, FileEntry entry, FileGrant grant, List<WorkerAddress> workers)
      throws IOException {
    IOException last = new IOException("no worker runs");
    for (WorkerAddress worker : workers) {
      try {
        return grant.with(() -> access.copy(worker, grant.name(0)));
      } catch (IOException e) {
        boolean mayOthers = !(e instanceof RemoteException refusal) || isOfWorker(refusal.status());
        if (!mayOthers) {
          throw e;
        }
        e.addSuppressed(last);
        last = e;
      }
    }
    throw new IOException(
        "no worker writes %s below: %s".formatted(entry.getName(), last.getMessage()), last);
  }

  /** Whether it says something of that worker, and not of the file or the mount. */
  private static boolean isOfWorker(Status status) {
    return status == Status.BUSY || status == Status.INTERNAL || status == Status.BAD_REQUEST;
  }

  @Override
  public List<Integer> end() throws IOException {
    begin();
    copy.end();
    return List.of();
  }

  @Override
  public OptionalInt checksum() {
    return OptionalInt.empty();
  }

  @Override
  public void close() {
    if (copy != null) {
      copy.close();
      copy = null;
    }
  }
}

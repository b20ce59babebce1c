package dev.sailfish.workflow.store;

import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.Refusal.Reason;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import dev.sailfish.workflow.lead.Lock;
import java.io.IOException;
import java.util.Set;

/**
 * A lock that is a file which is never completed: the masters remove it when its writer is silent
 * for {@code sailfish.lineage.master.client.lease}. It has no content, and is in memory alone
 * whatever is mounted above it. Thread-safe.
 */
public final class StoreLock implements Lock {
  private static final int MODE = 0600;
  private static final int BLOCK_SIZE_LOG = 16;
  private static final long NONE = 0;

  /** What says that the file is another one's, or gone. */
  private static final Set<Reason> NOT_MINE =
      Set.of(Reason.NOT_FOUND, Reason.EXISTS, Reason.NOT_COMPLETE, Reason.NOT_WRITING);

  private final NamespaceClient client;
  private final String path;
  private long fid = NONE;

  /**
   * Not held.
   *
   * @param client of the lock alone, as its silence counts; stays the caller's
   * @param path of the file, from the root; its directory is there
   */
  public StoreLock(NamespaceClient client, String path) {
    this.client = client;
    this.path = path;
  }

  @Override
  public synchronized boolean take() throws IOException {
    CreateFile file =
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(MODE)
            .setBlockSizeLog(BLOCK_SIZE_LOG)
            .setWriteMode(WriteMode.WRITE_MEMORY)
            .build();
    try {
      client.renew();
      fid = client.create(file).getEntry().getFid();
      return true;
    } catch (StoreRefusedException e) {
      requireNotMine(e);
      return e.reason() == Reason.EXISTS && takeAgain(file);
    }
  }

  /**
   * The file is this client's own when the lock was given up without a word to the store, or when
   * nobody heard that it was taken; this client keeps it alive, so that nobody else gets it.
   */
  private boolean takeAgain(CreateFile file) throws IOException {
    try {
      client.abandon(client.stat(path).getFid());
      fid = client.create(file).getEntry().getFid();
      return true;
    } catch (StoreRefusedException e) {
      requireNotMine(e);
      return false;
    }
  }

  @Override
  public synchronized boolean keep() throws IOException {
    try {
      client.renew();
      return fid != NONE && !client.stat(fid).getComplete();
    } catch (StoreRefusedException e) {
      requireNotMine(e);
      fid = NONE;
      return false;
    }
  }

  @Override
  public synchronized void release() throws IOException {
    if (fid == NONE) {
      return;
    }
    try {
      client.abandon(fid);
    } catch (StoreRefusedException e) {
      requireNotMine(e);
    }
    fid = NONE;
  }

  private static void requireNotMine(StoreRefusedException refused) throws IOException {
    if (!NOT_MINE.contains(refused.reason())) {
      throw refused;
    }
  }
}

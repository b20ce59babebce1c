package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.util.List;

/** Copies of blocks that only one worker has, with another one. Waits; thread-safe. */
final class SecondCopies {
  private final NamespaceClient namespace;
  private final BlockAccess access;

  SecondCopies(NamespaceClient namespace, BlockAccess access) {
    this.namespace = namespace;
    this.access = access;
  }

  /**
   * Has each block of a file with two workers. Where no other one takes a copy, because none has
   * room for example, the block stays with the one that has it.
   *
   * @param workers that may copy it, the best first
   * @throws IOException when the master does not say where the blocks are
   */
  void make(FileEntry file, List<WorkerAddress> workers) throws IOException {
    for (int block = 0; (long) block * file.getBlockSize() < file.getLength(); block++) {
      make(block, namespace.locate(file.getFid(), block, 1), workers);
    }
  }

  private void make(int block, OpenFileResponse located, List<WorkerAddress> workers) {
    boolean isDone = located.getWorkersCount() != 1;
    for (WorkerAddress worker : workers) {
      if (isDone) {
        return;
      }
      isDone = !isWith(located, worker) && copy(located, block, worker);
    }
  }

  private static boolean isWith(OpenFileResponse located, WorkerAddress worker) {
    return located.getWorkersList().stream()
        .anyMatch(each -> each.getNumber() == worker.getNumber());
  }

  private boolean copy(OpenFileResponse located, int block, WorkerAddress to) {
    long fid = located.getEntry().getFid();
    FileGrant grant =
        new FileGrant(
            fid, located.getBlockToken(), () -> namespace.locate(fid, block, 1).getBlockToken());
    try {
      grant.with(() -> access.copyBlock(to, grant.name(block)));
      return true;
    } catch (IOException e) {
      return false; // the next one is asked
    }
  }
}

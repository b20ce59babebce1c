package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAhead;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file of this client that is begun and has to be ended, by one of the methods that complete it
 * or by one that gives it up. For one thread.
 */
final class WrittenFile {
  private final NamespaceClient namespace;
  private final Beginnings beginnings;
  private final ChangeResponse created;
  private final CreateFile announced;
  private final BlockAhead ahead;
  private final AtomicBoolean isEnded = new AtomicBoolean();

  /**
   * @param beginnings told when it ends
   * @param created what the master has said of it
   * @param announced how it was announced; null: a change has begun it
   * @param ahead its first block, if that was asked for; or null
   */
  WrittenFile(
      NamespaceClient namespace,
      Beginnings beginnings,
      ChangeResponse created,
      CreateFile announced,
      BlockAhead ahead) {
    this.namespace = namespace;
    this.beginnings = beginnings;
    this.created = created;
    this.announced = announced;
    this.ahead = ahead;
  }

  /** What the master has said of it. */
  ChangeResponse created() {
    return created;
  }

  /** Its first block, if that was asked for; null otherwise. To be closed by who takes it. */
  BlockAhead ahead() {
    return ahead;
  }

  FileEntry entry() {
    return created.getEntry();
  }

  /** Completes it: from now on it is read. */
  FileEntry complete(long length, List<Integer> places) throws IOException {
    int wanted = beginnings.wanted();
    List<Long> kept = List.of();
    try {
      ChangeResponse completed = namespace.change(end -> end(end, length, places, wanted));
      kept = completed.getReservedList();
      return completed.getEntry();
    } finally {
      end(wanted, kept);
    }
  }

  /** The same, without a wait. */
  CompletableFuture<FileEntry> completeAsync(long length, List<Integer> places) {
    int wanted = beginnings.wanted();
    return namespace
        .changeAsync(end -> end(end, length, places, wanted))
        .whenComplete(
            (completed, error) ->
                end(wanted, completed == null ? List.of() : completed.getReservedList()))
        .thenApply(ChangeResponse::getEntry);
  }

  private void end(ChangeRequest.Builder change, long length, List<Integer> places, int wanted) {
    if (announced == null) {
      change.setCompleteFile(
          CompleteFile.newBuilder()
              .setFid(entry().getFid())
              .setLength(length)
              .addAllPlaces(places));
    } else {
      change.setCreateFile(
          announced.toBuilder().setComplete(true).setLength(length).addAllPlaces(places));
    }
    change.setReserve(wanted);
  }

  /** Gives it up: it is gone. */
  void abandon() throws IOException {
    end(0, List.of());
    namespace.abandon(entry().getFid());
  }

  /** The same, without a wait. */
  void abandonAsync() {
    end(0, List.of());
    namespace.abandonAsync(entry().getFid());
  }

  /** Once, though a file that could not be completed is given up then. */
  private void end(int wanted, List<Long> kept) {
    beginnings.ended(wanted, kept, isEnded.compareAndSet(false, true));
  }
}

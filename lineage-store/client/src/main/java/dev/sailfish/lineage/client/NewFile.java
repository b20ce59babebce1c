package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAhead;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import dev.sailfish.lineage.protocol.wire.Refusal;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A file that is written for the first time. */
final class NewFile implements WrittenFile {
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
  NewFile(
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

  @Override
  public ChangeResponse begun() {
    return created;
  }

  @Override
  public BlockAhead ahead() {
    return ahead;
  }

  @Override
  public GrantWritingResponse goOn(Collection<Integer> refused) throws IOException {
    long fid = entry().getFid();
    try {
      return namespace.grantWriting(fid, refused);
    } catch (StoreRefusedException e) {
      boolean isUnknown = announced != null && e.reason() == Refusal.Reason.NOT_FOUND;
      if (!isUnknown) {
        throw e;
      }
      beginAgain(e);
    }
    return namespace.grantWriting(fid, refused);
  }

  /**
   * A change begins the file that was announced: only the leader of that time knew it. Why there is
   * no record of it is counted when it is completed.
   */
  private void beginAgain(StoreRefusedException unknown) throws IOException {
    try {
      namespace.create(announced.toBuilder().clearObstacle().build());
    } catch (StoreRefusedException e) {
      boolean isGone = e.reason() == Refusal.Reason.NOT_WRITING; // the id is not kept any more
      throw isGone ? unknown : e;
    }
  }

  @Override
  public FileEntry complete(long length, List<Integer> places, OptionalInt checksum)
      throws IOException {
    int wanted = beginnings.wanted();
    List<Long> kept = List.of();
    try {
      ChangeResponse completed =
          namespace.change(end -> end(end, length, places, checksum, wanted));
      kept = completed.getReservedList();
      return completed.getEntry();
    } finally {
      end(wanted, kept);
    }
  }

  @Override
  public CompletableFuture<FileEntry> completeAsync(
      long length, List<Integer> places, OptionalInt checksum) {
    int wanted = beginnings.wanted();
    return namespace
        .changeAsync(end -> end(end, length, places, checksum, wanted))
        .whenComplete(
            (completed, error) ->
                end(wanted, completed == null ? List.of() : completed.getReservedList()))
        .thenApply(ChangeResponse::getEntry);
  }

  private void end(
      ChangeRequest.Builder change,
      long length,
      List<Integer> places,
      OptionalInt checksum,
      int wanted) {
    if (announced == null) {
      CompleteFile.Builder end =
          CompleteFile.newBuilder().setFid(entry().getFid()).setLength(length).addAllPlaces(places);
      checksum.ifPresent(end::setChecksum);
      change.setCompleteFile(end);
    } else {
      CreateFile.Builder end =
          announced.toBuilder().setComplete(true).setLength(length).addAllPlaces(places);
      checksum.ifPresent(end::setChecksum);
      change.setCreateFile(end);
    }
    change.setReserve(wanted);
  }

  @Override
  public void abandon() throws IOException {
    end(0, List.of());
    namespace.abandon(entry().getFid());
  }

  @Override
  public void abandonAsync() {
    end(0, List.of());
    namespace.abandonAsync(entry().getFid());
  }

  /** Once, though a file that could not be completed is given up then. */
  private void end(int wanted, List<Long> kept) {
    beginnings.ended(wanted, kept, isEnded.compareAndSet(false, true));
  }
}

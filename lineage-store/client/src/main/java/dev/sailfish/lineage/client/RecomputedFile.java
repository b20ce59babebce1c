package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAhead;
import dev.sailfish.lineage.protocol.wire.AbandonRecompute;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteRecompute;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** A file that was lost and is written again, under the id that it has. */
final class RecomputedFile implements WrittenFile {
  private static final int BLOCKS_AT_ONCE = 1000;

  private final NamespaceClient namespace;
  private final ChangeResponse begun;

  /**
   * @param begun what the master has said of it
   */
  RecomputedFile(NamespaceClient namespace, ChangeResponse begun) {
    this.namespace = namespace;
    this.begun = begun;
  }

  @Override
  public ChangeResponse begun() {
    return begun;
  }

  @Override
  public BlockAhead ahead() {
    return null;
  }

  @Override
  public GrantWritingResponse goOn(Collection<Integer> refused) throws IOException {
    return namespace.grantWriting(entry().getFid(), refused);
  }

  /** By number, the places of blocks that are there still. */
  Map<Integer, Integer> kept() throws IOException {
    Map<Integer, Integer> kept = new HashMap<>();
    long size = entry().getBlockSize();
    long blocks = (entry().getLength() + size - 1) / size;
    for (int first = 0; first < blocks; first += BLOCKS_AT_ONCE) {
      namespace
          .locate(entry().getFid(), first, BLOCKS_AT_ONCE)
          .getBlocksList()
          .forEach(block -> kept.put(block.getBlock(), block.getPlaces(0)));
    }
    return kept;
  }

  @Override
  public FileEntry complete(long length, List<Integer> places, OptionalInt checksum)
      throws IOException {
    return namespace.change(end -> end(end, length, places, checksum)).getEntry();
  }

  @Override
  public CompletableFuture<FileEntry> completeAsync(
      long length, List<Integer> places, OptionalInt checksum) {
    return namespace
        .changeAsync(end -> end(end, length, places, checksum))
        .thenApply(ChangeResponse::getEntry);
  }

  private void end(
      ChangeRequest.Builder change, long length, List<Integer> places, OptionalInt checksum) {
    change.setCompleteRecompute(
        CompleteRecompute.newBuilder()
            .setFid(entry().getFid())
            .setLength(length)
            .addAllPlaces(places)
            .setChecksum(checksum.orElseThrow()));
  }

  @Override
  public void abandon() throws IOException {
    namespace.change(this::giveUp);
  }

  @Override
  public void abandonAsync() {
    namespace.changeAsync(this::giveUp);
  }

  private void giveUp(ChangeRequest.Builder change) {
    change.setAbandonRecompute(AbandonRecompute.newBuilder().setFid(entry().getFid()));
  }
}

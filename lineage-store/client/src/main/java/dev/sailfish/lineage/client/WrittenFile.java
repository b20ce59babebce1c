package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAhead;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * A file of this client that is begun, for the first time or again, and has to be ended: by one of
 * the methods that complete it or by one that gives it up. For one thread.
 */
interface WrittenFile {
  /** What the master has said of it. */
  ChangeResponse begun();

  /** Its first block, if that was asked for; null otherwise. To be closed by who takes it. */
  BlockAhead ahead();

  /** What is known of it. */
  default FileEntry entry() {
    return begun().getEntry();
  }

  /**
   * Asks the master for what its writer needs to go on: a new block token, and workers that may
   * take further blocks, the best first.
   *
   * @param refused numbers of workers that are not to be named
   */
  GrantWritingResponse goOn(Collection<Integer> refused) throws IOException;

  /**
   * Completes it: from now on it is read.
   *
   * @param places where each of its blocks is, as workers have said
   * @param checksum of its content, if there is one
   */
  FileEntry complete(long length, List<Integer> places, OptionalInt checksum) throws IOException;

  /** The same, without a wait. */
  CompletableFuture<FileEntry> completeAsync(
      long length, List<Integer> places, OptionalInt checksum);

  /** Gives it up: what was written of it is gone. */
  void abandon() throws IOException;

  /** The same, without a wait. */
  void abandonAsync();
}

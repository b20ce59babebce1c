package dev.sailfish.lineage.worker.under;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Room for one piece of a copy that a client sends; exactly one of its ends is called, once. */
public final class CopyPiece {
  private final CopyStream stream;
  private final ByteBuffer room;

  CopyPiece(CopyStream stream, ByteBuffer room) {
    this.stream = stream;
    this.room = room;
  }

  /** Takes some bytes; as many as there is room for, in all. */
  public void put(ByteBuffer bytes) {
    room.put(bytes);
  }

  /**
   * It is complete.
   *
   * @param offset how many bytes of the file come before
   * @param sums CRC32C of each unit, as the client says
   * @return done when the writer below has taken it
   */
  public CompletableFuture<Void> write(long offset, int[] sums) {
    return stream.write(offset, room.flip(), sums);
  }

  /** It will not be complete. */
  public void drop() {
    stream.drop();
  }
}

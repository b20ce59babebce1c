package dev.sailfish.lineage.worker.rpc;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.lineage.worker.under.CopyPiece;
import java.nio.ByteBuffer;

/** Takes a piece of a copy off the socket. Used by one I/O thread. */
record CopySink(CopyPiece piece) implements PayloadSink {
  @Override
  public void write(ByteBuffer bytes) {
    piece.put(bytes);
  }

  @Override
  public void abort() {
    piece.drop();
  }
}

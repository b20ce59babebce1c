package dev.sailfish.imerger.fetch;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.protocol.client.SortWait;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One request for bytes of a chunk that may be sent several times until it is answered well. Sent
 * ahead with {@link ReadLink#send}, waited for with {@link ReadLink#await}. For one thread.
 */
public abstract sealed class Fetch implements Exchange permits ReadFetch, TailFetch {
  /** Id of the chunk. */
  final long chunk;

  /** The server that was asked. */
  ReadLink link;

  /** Whether the good reply is there. */
  boolean complete;

  /** Whether the server needs more time: the request is to be sent again. */
  boolean notYet;

  /** The wait that {@link #notYet} is about; null before there was one. */
  SortWait sortWait;

  /** The refusal that has to be dealt with, or null. */
  RemoteException refusal;

  Fetch(long chunk) {
    this.chunk = chunk;
  }

  /** Puts the request on the wire; called again when the connection broke or the server refused. */
  abstract void request(Connection connection) throws IOException;

  /**
   * Takes a good reply; an exception breaks the connection.
   *
   * @return false when it says that the server needs more time, as {@link #sortWait} has it
   */
  abstract boolean finish(ByteBuffer header) throws IOException;

  @Override
  public final void done(ByteBuffer header) throws IOException {
    complete = finish(header);
    notYet = !complete;
    link.answered(this);
  }

  @Override
  public final void failed(RemoteException error) {
    refusal = error;
  }
}

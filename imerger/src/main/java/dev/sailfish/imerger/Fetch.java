package dev.sailfish.imerger;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.protocol.client.SortWait;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One request to a chunkserver that may be sent several times until it is answered well. Sent ahead
 * with {@link ServerLink#send}, waited for with {@link ServerLink#await}.
 */
abstract class Fetch implements Exchange {
  private ServerLink link;
  private boolean complete;
  private boolean notYet;
  private RemoteException refusal;

  /** Puts the request on the wire; called again when the connection broke or the server refused. */
  abstract void request(Connection connection) throws IOException;

  /** Id of the chunk that it is about. */
  abstract long chunk();

  /** Takes a good reply; an exception breaks the connection. */
  abstract void finish(ByteBuffer header) throws IOException;

  @Override
  public final void done(ByteBuffer header) throws IOException {
    finish(header);
    if (notYet) {
      link.heard();
    } else {
      complete = true;
      link.completed(this);
    }
  }

  @Override
  public final void failed(RemoteException error) {
    refusal = error;
  }

  final void attach(ServerLink server) {
    link = server;
    complete = false;
    notYet = false;
    refusal = null;
  }

  /** The good reply says that the server needs more time; called by {@link #finish}. */
  final void needsTime() {
    notYet = true;
  }

  /** Whether the server needs more time: the request is to be sent again. */
  final boolean notYet() {
    return notYet;
  }

  /** The wait that {@link #notYet} is about; null before there was one. */
  SortWait sortWait() {
    return null;
  }

  /** The server that was asked. */
  final ServerLink link() {
    return link;
  }

  /** Whether the good reply is there. */
  final boolean complete() {
    return complete;
  }

  /** The refusal that has to be dealt with, or null. */
  final RemoteException refusal() {
    return refusal;
  }

  final void forgetAnswer() {
    notYet = false;
    refusal = null;
  }
}

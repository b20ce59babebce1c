package dev.sailfish.ground.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Keeps header and payload of one reply in arrays of its own. */
public final class PayloadReply implements Exchange {
  private final int mostBytes;
  private byte[] header;
  private byte[] bytes = new byte[0];
  private RemoteException error;

  /** An exchange without a reply yet, whose payload may be of any length. */
  public PayloadReply() {
    this(Integer.MAX_VALUE);
  }

  /**
   * @param mostBytes a longer payload breaks the connection
   */
  public PayloadReply(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public ByteBuffer payload(ByteBuffer replyHeader, int length) throws IOException {
    if (length > mostBytes) {
      return Exchange.super.payload(replyHeader, length);
    }
    bytes = new byte[length];
    return ByteBuffer.wrap(bytes);
  }

  @Override
  public void done(ByteBuffer replyHeader) {
    header = new byte[replyHeader.remaining()];
    replyHeader.duplicate().get(header);
  }

  @Override
  public void failed(RemoteException refusal) {
    error = refusal;
  }

  /** Whether the reply is there, good or bad. */
  public boolean ended() {
    return header != null || error != null;
  }

  /** The header of a good reply. */
  public byte[] header() {
    return header;
  }

  /** The payload of a good reply; empty when it had none. */
  public byte[] bytes() {
    return bytes;
  }

  /** The refusal, or null. */
  public RemoteException error() {
    return error;
  }
}

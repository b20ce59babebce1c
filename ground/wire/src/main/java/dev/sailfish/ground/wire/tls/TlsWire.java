package dev.sailfish.ground.wire.tls;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * TLS over another wire. All of it happens on the caller's thread, in {@link #connect}, {@link
 * #read} and {@link #write}, none of which waits.
 *
 * <p>Memory: two buffers of {@link #BUFFER_BYTES} for encrypted bytes and one for a record in the
 * clear. A peer that has not proved who it is is a {@link RemoteException} with UNAUTHENTICATED, so
 * that nobody tries it again and again; whatever else goes wrong is another IOException.
 */
final class TlsWire implements Wire {
  /** For encrypted bytes each way: some records at a time, so that calls of the system are few. */
  static final int BUFFER_BYTES = 128 << 10;

  private static final int MOST_ALERTS = 2;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Wire wire;
  private final SSLEngine engine;
  private final InetSocketAddress address;
  private final int recordBytes;

  // Encrypted, from 0 to the position: to be sent.
  private final ByteBuffer out = ByteBuffer.allocate(BUFFER_BYTES);
  // Encrypted, from position to limit: came and was not decrypted yet.
  private final ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES).flip();
  // Decrypted, from position to limit: not read yet.
  private final ByteBuffer clear;

  private boolean connected;
  private boolean established;
  // What is in `in` is no whole record, and the wire had no more.
  private boolean starved = true;
  private boolean ended;

  /**
   * A wire that {@link #connect} will connect.
   *
   * @param wire beneath, not connected; closed with this one
   * @param engine of a client
   * @param address of the peer, for messages
   */
  TlsWire(Wire wire, SSLEngine engine, InetSocketAddress address) {
    this.wire = wire;
    this.engine = engine;
    this.address = address;
    this.recordBytes = engine.getSession().getPacketBufferSize();
    this.clear = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
  }

  // ---- the handshake

  @Override
  public boolean connect() throws IOException {
    if (!connected) {
      if (!wire.connect()) {
        return false;
      }
      connected = true;
      engine.beginHandshake();
    }
    if (!established) {
      try {
        established = advance();
      } catch (SSLException e) {
        throw failed(e);
      } catch (IOException e) {
        throw new IOException(
            "TLS handshake was cut off: "
                + e.getMessage()
                + "; does that port speak TLS (tls=required)? if not, set it there, or"
                + " sailfish.tls=false here",
            e);
      }
    }
    return established;
  }

  /** Goes on with the handshake as far as that needs nothing more from the peer. */
  private boolean advance() throws IOException {
    while (true) {
      if (!send()) {
        return false;
      }
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> runTasks();
        case NEED_WRAP -> encrypt(NOTHING);
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (!unwrapHandshake()) {
            return false;
          }
        }
        default -> {
          return true;
        }
      }
    }
  }

  private boolean unwrapHandshake() throws IOException {
    clear.clear();
    SSLEngineResult result = engine.unwrap(in, clear);
    clear.flip();
    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
      throw new EOFException("the peer ended it");
    }
    if (result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW) {
      return true;
    }
    boolean more = receive();
    if (ended) {
      throw new EOFException("connection closed by the peer");
    }
    return more;
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  // ---- bytes

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    try {
      int taken = 0;
      while (send() && bytes.hasRemaining()) {
        int before = bytes.remaining();
        // As many records as there is room for, before the next call of the system.
        boolean room = true;
        while (room && bytes.hasRemaining()) {
          room = encrypt(bytes);
        }
        taken += before - bytes.remaining();
        if (bytes.remaining() == before) {
          return taken;
        }
      }
      return taken;
    } catch (SSLException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean flush() throws IOException {
    return send();
  }

  /** Makes one record, if there is room for it; whether it did. */
  private boolean encrypt(ByteBuffer bytes) throws IOException {
    if (out.remaining() < recordBytes) {
      return false;
    }
    SSLEngineResult result = engine.wrap(bytes, out);
    if (result.getStatus() == SSLEngineResult.Status.CLOSED && result.bytesProduced() == 0) {
      throw new EOFException("TLS connection was closed by " + address);
    }
    if (result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_TASK) {
      runTasks();
    }
    return result.bytesProduced() > 0;
  }

  /** Sends what is encrypted; whether all of it has gone. */
  private boolean send() throws IOException {
    if (out.position() == 0) {
      return true;
    }
    out.flip();
    try {
      while (out.hasRemaining()) {
        if (wire.write(out) == 0) {
          return false;
        }
      }
      return true;
    } finally {
      out.compact();
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    try {
      send();
      int given = decrypt(target);
      return given == 0 && ended ? -1 : given;
    } catch (SSLException e) {
      throw failed(e);
    }
  }

  private int decrypt(ByteBuffer target) throws IOException {
    int given = take(target);
    while (target.hasRemaining()) {
      boolean fits = target.remaining() >= clear.capacity();
      SSLEngineResult result = engine.unwrap(in, fits ? target : clear.clear());
      if (!fits) {
        clear.flip();
      }
      switch (result.getStatus()) {
        case OK -> {
          given += fits ? result.bytesProduced() : take(target);
          answer(result);
        }
        case BUFFER_UNDERFLOW -> {
          if (!receive()) {
            return given;
          }
        }
        case CLOSED -> {
          ended = true;
          return given;
        }
        default -> throw new IOException("TLS record of " + address + " is too long: " + result);
      }
    }
    return given;
  }

  private int take(ByteBuffer target) {
    int count = Math.min(clear.remaining(), target.remaining());
    target.put(target.position(), clear, clear.position(), count);
    target.position(target.position() + count);
    clear.position(clear.position() + count);
    return count;
  }

  /** The peer may ask for something of TLS's own at any time: new keys. */
  private void answer(SSLEngineResult result) throws IOException {
    if (result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_TASK) {
      runTasks();
    }
    if (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP) {
      encrypt(NOTHING);
      send();
    }
  }

  /** Gets more encrypted bytes; whether there were any. */
  private boolean receive() throws IOException {
    in.compact();
    int count;
    try {
      count = wire.read(in);
    } finally {
      in.flip();
    }
    starved = count == 0;
    ended |= count < 0;
    return count > 0;
  }

  @Override
  public void await(int interest, long waitMs) throws IOException {
    if (!connected) {
      wire.await(interest, waitMs);
      return;
    }
    boolean held = out.position() > 0;
    if (!established) {
      wire.await(held ? WRITE : READ, waitMs);
      return;
    }
    boolean readable = clear.hasRemaining() || in.hasRemaining() && !starved;
    if ((interest & READ) == 0 || !readable) {
      wire.await(held ? interest | WRITE : interest, waitMs);
    }
  }

  @Override
  public void wake() {
    wire.wake();
  }

  // ---- ends

  private IOException failed(SSLException cause) {
    try {
      sayWhy();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    String message = "TLS with " + address + " failed: " + TlsFailure.explain(cause);
    boolean unproved =
        cause instanceof SSLHandshakeException || cause instanceof SSLPeerUnverifiedException;
    IOException failure =
        unproved ? new RemoteException(Status.UNAUTHENTICATED, message) : new IOException(message);
    failure.initCause(cause);
    return failure;
  }

  /** Tells the peer what is wrong, or that this is the end, as far as it goes without a wait. */
  private void sayWhy() throws IOException {
    for (int i = 0; i < MOST_ALERTS && !engine.isOutboundDone(); i++) {
      encrypt(NOTHING);
    }
    send();
  }

  @Override
  public boolean isOpen() {
    return wire.isOpen();
  }

  @Override
  public void close() throws IOException {
    try (wire) {
      if (established && wire.isOpen() && !engine.isOutboundDone()) {
        engine.closeOutbound();
        sayWhy();
      }
    }
  }
}

package dev.sailfish.ground.wire;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.introduction.IntroductionBox;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.secret.Handshake;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * One connection to a server, used by one thread at a time.
 *
 * <p>Any number of requests may be outstanding; replies are matched by correlation id and may come
 * in any order. {@link #send} returns when the whole frame is in the wire; while the wire is full
 * it reads replies, so that two full directions cannot block each other. Replies are read in {@link
 * #poll} and {@link #send} only: there is no background thread. Every wait ends at a deadline with
 * a {@link SocketTimeoutException} that names peer and operation.
 *
 * <p>After any IOException other than a {@link RemoteException} the connection is closed and its
 * outstanding exchanges get neither done nor failed: the caller knows them and repeats them
 * elsewhere.
 */
public final class Connection implements Closeable {
  /** Of a buffer at first: enough for connections that carry no payload, which are the most. */
  static final int FIRST_BYTES = 8 << 10;

  /** Of a buffer for payloads. */
  static final int LONG_BYTES = 128 << 10;

  /** Names a server that has not said its name. */
  static final String UNKNOWN = "unknown";

  private static final byte[] NO_BYTES = {};
  private static final ByteBuffer[] NO_PAYLOAD = {};

  private final InetSocketAddress address;
  private final Network network;
  private final Wire wire;
  private final long deadlineNanos;
  private final Map<Long, Exchange> outstanding = new HashMap<>();
  private final ReplyReader replies;
  private long lastCorrelation;
  private String server = UNKNOWN;
  private byte[] session = NO_BYTES;

  // What is to be written, up to its position; long once there is more than it holds.
  private ByteBuffer out = ByteBuffer.allocateDirect(FIRST_BYTES);

  private Connection(Network network, InetSocketAddress address, Duration deadline)
      throws IOException {
    this.network = network;
    this.address = address;
    this.deadlineNanos = deadline.toNanos();
    this.wire = network.open(address);
    this.replies = new ReplyReader(wire, address, outstanding);
  }

  /** Connects as nobody in particular, over TCP, to a server that authenticates nobody. */
  public static Connection open(InetSocketAddress address, String caller, Duration deadline)
      throws IOException {
    return open(address, caller, Credentials.none(), deadline);
  }

  /** Connects over TCP; see the other {@code open}. */
  public static Connection open(
      InetSocketAddress address, String caller, Credentials credentials, Duration deadline)
      throws IOException {
    return open(Network.SOCKETS, address, caller, credentials, deadline);
  }

  /**
   * Connects, and each side proves to the other who it is.
   *
   * @param network opens the wire, and tells the time of all waits
   * @param address host and port of the server; looked up now when it is not resolved
   * @param caller who calls, for the server's log
   * @param credentials who calls, for what it may do
   * @param deadline of the connect and of every later wait for this connection
   * @throws RemoteException UNAUTHENTICATED when one side has not proved who it is
   * @throws IOException when the server is not reachable in time or speaks another version; the
   *     message names the address
   */
  public static Connection open(
      Network network,
      InetSocketAddress address,
      String caller,
      Credentials credentials,
      Duration deadline)
      throws IOException {
    InetSocketAddress found =
        address.isUnresolved()
            ? new InetSocketAddress(address.getHostString(), address.getPort())
            : address;
    if (found.isUnresolved()) {
      throw new IOException(
          ("cannot resolve host '%s' (port %s): every host must know the name that a server goes"
                  + " by; see the key 'host' of that server, or the address that is set here")
              .formatted(address.getHostString(), address.getPort()));
    }
    Connection connection = new Connection(network, found, deadline);
    boolean ready = false;
    try {
      connection.connect();
      if (credentials != null) {
        connection.greet(caller, credentials);
      }
      ready = true;
      return connection;
    } finally {
      if (!ready) {
        connection.close();
      }
    }
  }

  /** Connects without a word: the caller says HELLO and what follows itself. */
  public static Connection openSilent(Network network, InetSocketAddress address, Duration deadline)
      throws IOException {
    return open(network, address, "", null, deadline);
  }

  private void requireVersion(int theirs) throws ProtocolException {
    if (theirs != FrameDescriptor.VERSION) {
      ProtocolException.raise(
          ("server %s (%s) wants to speak protocol version=%s, this side speaks version=%s; use"
                  + " the same release of Sailfish on both sides")
              .formatted(address, server, theirs, FrameDescriptor.VERSION));
    }
  }

  private void connect() throws IOException {
    long end = network.nanoTime() + deadlineNanos;
    try {
      while (!wire.connect()) {
        await(Wire.CONNECT, end, "connect");
      }
    } catch (IOException e) {
      // A clause for RemoteException would have it loaded wherever this class is.
      boolean complete = e instanceof SocketTimeoutException || e instanceof RemoteException;
      throw complete
          ? e
          : new IOException("cannot connect to " + address + ": " + e.getMessage(), e);
    }
  }

  private void greet(String caller, Credentials credentials) throws IOException {
    Credentials self = credentials.current();
    byte[] clientNonce = self.isKeyed() ? Handshake.nonce() : NO_BYTES;
    HelloResponse hello =
        call(
            Operation.HELLO,
            self.hello(clientNonce)
                .setProtocolVersion(FrameDescriptor.VERSION)
                .setCaller(caller)
                .build(),
            HelloResponse.parser());
    server = hello.getServer();
    replies.peerIs(server);
    requireVersion(hello.getProtocolVersion());
    if (!self.isKeyed()) {
      return;
    }
    String named = address + " (" + server + ")";
    session = Handshake.session(clientNonce, hello.getServerNonce().toByteArray());
    IntroductionBox box = self.introduces(hello, named) ? self.introduce(session, named) : null;
    AuthenticateRequest request =
        box == null ? self.answer(hello, clientNonce, named) : box.request();
    AuthenticateResponse told =
        call(Operation.AUTHENTICATE, request, AuthenticateResponse.parser());
    if (self.isTask()) {
      self.learn(told, box == null ? null : box.key(), session, named);
    }
  }

  /** What the connection goes over. */
  public Network network() {
    return network;
  }

  /** Address of the peer. */
  public InetSocketAddress address() {
    return address;
  }

  /** How the peer named itself in HELLO. */
  public String server() {
    return server;
  }

  /** Both nonces of the handshake, the client's first; empty when nobody was authenticated. */
  public byte[] session() {
    return session.clone();
  }

  /** How many requests have no reply yet. */
  public int outstanding() {
    return outstanding.size();
  }

  /** Whether the connection can still be used. */
  public boolean isOpen() {
    return wire.isOpen();
  }

  /**
   * Sends one request.
   *
   * @param operation what to do
   * @param header its request message
   * @param exchange gets the reply
   * @param payload raw bytes behind the header; read from their positions to their limits and not
   *     needed any more when this method returns
   */
  public void send(
      Operation<?, ?> operation, MessageLite header, Exchange exchange, ByteBuffer... payload)
      throws IOException {
    send(operation, header.toByteArray(), exchange, payload);
  }

  /**
   * The same with a request message that is encoded already. Encoding is cheap, but the code that
   * does it is large, and compiling that costs a short task more than all it encodes.
   */
  public void send(
      Operation<?, ?> operation, byte[] header, Exchange exchange, ByteBuffer... payload)
      throws IOException {
    try {
      write(operation, header, exchange, payload);
      drain(operation);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Takes one request without payload, which is on its way when {@link #flush} or {@link #send} has
   * returned: many small requests share what sending costs.
   */
  public void collect(Operation<?, ?> operation, byte[] header, Exchange exchange)
      throws IOException {
    try {
      write(operation, header, exchange, NO_PAYLOAD);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Sends what was collected. */
  public void flush() throws IOException {
    try {
      drain(null);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void write(
      Operation<?, ?> operation, byte[] header, Exchange exchange, ByteBuffer[] payload)
      throws IOException {
    int payloadLength = 0;
    for (ByteBuffer part : payload) {
      payloadLength = Math.addExact(payloadLength, part.remaining());
    }
    boolean longHeader = header.length > FrameDescriptor.MAX_HEADER_LENGTH;
    if (longHeader && payloadLength > 0) {
      ProtocolException.raise(
          "header too long: operation=" + operation + " bytes=" + header.length);
    }
    long correlation = ++lastCorrelation;
    outstanding.put(correlation, exchange);
    if (out.remaining() < FrameDescriptor.LENGTH) {
      drain(operation);
    }
    FrameDescriptor.write(
        out,
        operation,
        longHeader ? FrameDescriptor.FLAG_HEADER_IN_PAYLOAD : 0,
        correlation,
        longHeader ? 0 : header.length,
        longHeader ? header.length : payloadLength);
    stage(ByteBuffer.wrap(header), operation);
    for (ByteBuffer part : payload) {
      stage(part, operation);
    }
  }

  /** Copies bytes to the staging buffer, and that to the socket each time it is full. */
  private void stage(ByteBuffer bytes, Operation<?, ?> operation) throws IOException {
    while (bytes.hasRemaining()) {
      if (out.capacity() < LONG_BYTES && bytes.remaining() > out.remaining()) {
        out = ByteBuffer.allocateDirect(LONG_BYTES).put(out.flip());
      }
      if (!out.hasRemaining()) {
        drain(operation);
      }
      int count = Math.min(bytes.remaining(), out.remaining());
      out.put(out.position(), bytes, bytes.position(), count);
      out.position(out.position() + count);
      bytes.position(bytes.position() + count);
    }
  }

  private void drain(Operation<?, ?> operation) throws IOException {
    out.flip();
    // The deadline is that of one wait, so that a long block over a slow network may take its time.
    long end = 0;
    boolean waiting = false;
    while (out.hasRemaining() || !wire.flush()) {
      if (out.hasRemaining() && wire.write(out) > 0) {
        waiting = false;
        continue;
      }
      if (!waiting) {
        end = network.nanoTime() + deadlineNanos;
        waiting = true;
      }
      await(Wire.WRITE | Wire.READ, end, operation == null ? "requests" : operation.name());
      replies.receive();
    }
    out.clear();
  }

  private void await(int interest, long end, String what) throws IOException {
    long left = (end - network.nanoTime()) / 1_000_000;
    if (left <= 0) {
      throw new SocketTimeoutException(
          "no progress with "
              + address
              + " ("
              + server
              + ") in "
              + deadlineNanos / 1_000_000
              + " ms: waiting for "
              + what
              + ", outstanding requests="
              + outstanding.size());
    }
    awaitWire(interest, left);
  }

  private void awaitWire(int interest, long waitMs) throws IOException {
    wire.await(interest, waitMs);
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while waiting for " + address);
    }
  }

  /**
   * Reads what replies are there; when there are none, waits for one.
   *
   * @throws SocketTimeoutException when no reply was completed in time
   */
  public void poll() throws IOException {
    try {
      long end = network.nanoTime() + deadlineNanos;
      while (replies.receive() == 0) {
        await(Wire.READ, end, "a reply");
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Reads what replies are there; when there are none, waits for one, but not long. For callers
   * that watch several connections and keep deadlines of their own: a wait without a reply is no
   * error.
   *
   * @param waitMs the longest wait in milliseconds; 0: no wait
   * @return whether a reply was completed
   */
  public boolean pollFor(long waitMs) throws IOException {
    try {
      boolean completed = replies.receive() > 0;
      if (!completed && waitMs > 0) {
        awaitWire(Wire.READ, waitMs);
        completed = replies.receive() > 0;
      }
      return completed;
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Reads what replies are there, without waiting. */
  public void pollNow() throws IOException {
    pollFor(0);
  }

  /**
   * Sends a request and waits for its reply.
   *
   * @param reply is new; gets it
   * @param payload as in {@link #send}
   * @return {@code reply}, with a good answer
   * @throws RemoteException when the server refuses; the connection stays usable
   */
  public PayloadReply exchange(
      Operation<?, ?> operation, MessageLite header, PayloadReply reply, ByteBuffer... payload)
      throws IOException {
    send(operation, header, reply, payload);
    while (!reply.ended()) {
      poll();
    }
    if (reply.error() != null) {
      reply.error().raise();
    }
    return reply;
  }

  /**
   * Sends a request without payload and waits for its reply, which has none either.
   *
   * @param parser of the reply; null: the reply says nothing more, and null is returned
   * @throws RemoteException when the server refuses; the connection stays usable
   */
  public <Q extends MessageLite, T extends MessageLite> T call(
      Operation<Q, T> operation, Q header, Parser<T> parser) throws IOException {
    byte[] reply = exchange(operation, header, new PayloadReply(0)).header();
    try {
      return parser == null ? null : parser.parseFrom(reply);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /**
   * Has a wait for replies that runs, or the next one, end at once; the one method for any thread.
   */
  public void wake() {
    wire.wake();
  }

  /** Closes the wire; never throws. */
  @Override
  public void close() {
    try (wire) {
      outstanding.clear();
      replies.forget();
    } catch (IOException e) {
      // The wire is gone either way, and nothing that was promised depends on closing it well.
      server = server + ", closed with " + e.getMessage();
    }
  }
}

package dev.sailfish.lineage.qfs.wire;

import dev.sailfish.ground.config.HostPort;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One connection to one server of QFS. Any thread may send; a daemon thread of its own reads the
 * replies, straight into the buffers that they are for. Requests without a reply are bounded by a
 * window, and each has a deadline, which {@link Connections} watches.
 *
 * <p>What a peer may not do breaks the connection: to stop in the middle of a reply, to say what is
 * no reply, to answer what was not asked, to say more than there is room for. All outstanding calls
 * then fail with a {@link BrokenConnectionException}, after the reader has let go of their buffers.
 */
public final class Connection implements Closeable {
  private static final int IN_BYTES = 64 << 10;

  private final HostPort server;
  private final ConnectionSettings settings;
  private final Clock clock;
  private final SocketChannel channel;
  private final Semaphore window;
  private final ReentrantLock sending = new ReentrantLock();
  private final Map<Long, Call> outstanding = new ConcurrentHashMap<>();
  private final Thread reader;
  private long lastSequence;
  private volatile IOException broken;

  // Of the reader alone.
  private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES).limit(0);
  private final ReplyParser parser = new ReplyParser();

  private Connection(
      HostPort server, ConnectionSettings settings, Clock clock, SocketChannel channel) {
    this.server = server;
    this.settings = settings;
    this.clock = clock;
    this.channel = channel;
    this.window = new Semaphore(settings.window());
    this.reader = new Thread(this::readReplies, "qfs " + server);
    reader.setDaemon(true);
  }

  /** Connects. {@link Connections} does that for its users, and watches the deadlines. */
  static Connection open(HostPort server, ConnectionSettings settings, Clock clock)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(server.host(), server.port());
    if (address.isUnresolved()) {
      throw new BrokenConnectionException(
          "cannot resolve host '%s' of the QFS server %s".formatted(server.host(), server));
    }
    SocketChannel channel = SocketChannel.open();
    boolean ready = false;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, (int) settings.connect().toMillis());
      Connection connection = new Connection(server, settings, clock, channel);
      connection.reader.start();
      ready = true;
      return connection;
    } catch (IOException e) {
      throw new BrokenConnectionException(
          "cannot connect to the QFS server " + server + ": " + e.getMessage(), e);
    } finally {
      if (!ready) {
        channel.close();
      }
    }
  }

  /** The peer. */
  public HostPort server() {
    return server;
  }

  /** Whether it can be used, as far as is known. */
  public boolean isOpen() {
    return broken == null;
  }

  Clock clock() {
    return clock;
  }

  /**
   * Sends one request. Waits for room in the window and in the socket, at most for the deadline.
   *
   * @return how its reply is waited for
   * @throws BrokenConnectionException when the connection is gone; the request's buffers are free
   */
  public Call send(Request request) throws IOException {
    Call call = new Call(this, request, clock.nanoTime() + settings.request().toNanos());
    acquireWindow(request);
    sending.lock();
    try {
      long sequence = ++lastSequence;
      outstanding.put(sequence, call);
      if (broken != null) {
        // The reader has gone, perhaps before it could see this call.
        Call left = outstanding.remove(sequence);
        if (left != null) {
          left.fail(broken);
        }
      } else {
        write(request.withBody(request.head(sequence)), request);
      }
    } finally {
      sending.unlock();
    }
    if (broken != null) {
      call.await();
    }
    return call;
  }

  /** Sends one request and waits for a good reply; see {@link Call#answer}. */
  public Reply call(Request request) throws IOException {
    return send(request).answer();
  }

  /** Sends what no server answers. */
  public void post(Request request) throws IOException {
    Call call = new Call(this, request, clock.nanoTime() + settings.request().toNanos());
    sending.lock();
    // Where no answer is looked for, so that only its deadline is watched.
    long nowhere = - ++lastSequence;
    outstanding.put(nowhere, call);
    try {
      write(request.withBody(request.head(-1)), request);
    } finally {
      outstanding.remove(nowhere);
      sending.unlock();
    }
  }

  private void acquireWindow(Request request) throws IOException {
    try {
      if (!window.tryAcquire(settings.request().toNanos(), TimeUnit.NANOSECONDS)) {
        breakOff("no room in the window in time for " + request, null);
        throw new BrokenConnectionException(
            "%s at %s: %s requests have no reply within %s ms; see the server's log, whether it hangs"
                .formatted(request, server, settings.window(), settings.request().toMillis()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: " + request + " at " + server);
    }
  }

  private void write(ByteBuffer[] parts, Request request) {
    try {
      ByteBuffer last = parts[parts.length - 1];
      int from = 0;
      while (last.hasRemaining() || from < parts.length) {
        channel.write(parts, from, parts.length - from);
        while (from < parts.length && !parts[from].hasRemaining()) {
          from++;
        }
      }
    } catch (IOException e) {
      breakOff("cannot send " + request, e);
    }
  }

  /** Breaks it when a request's deadline is past; for the watch. */
  void checkDeadlines(long nowNs) {
    for (Call call : outstanding.values()) {
      if (nowNs - call.deadlineNs() > 0) {
        breakOff(
            "no reply to %s within %s ms; see the server's log, whether it hangs or has too much to do"
                .formatted(call.request(), settings.request().toMillis()),
            null);
        return;
      }
    }
  }

  /** Ends it for a reason; its reader then fails all calls. Any thread, any number of times. */
  void breakOff(String why, Throwable cause) {
    synchronized (outstanding) {
      if (broken == null) {
        String said = cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage();
        broken =
            new BrokenConnectionException("connection to " + server + ": " + why + said, cause);
      }
    }
    try {
      channel.close();
    } catch (IOException e) {
      // It is gone either way, and the reason that counts is there already.
      broken.addSuppressed(e);
    }
  }

  private void readReplies() {
    try {
      while (broken == null) {
        readReply();
      }
    } catch (EOFException e) {
      breakOff(e.getMessage(), null);
    } catch (IOException | RuntimeException e) {
      breakOff("cannot read a reply", e);
    } finally {
      breakOff("its reader has ended", null);
      for (Long sequence : outstanding.keySet()) {
        Call call = outstanding.remove(sequence);
        if (call != null) {
          call.fail(broken);
          window.release();
        }
      }
    }
  }

  private void readReply() throws IOException {
    ReplyHeader header = parser.take(in);
    while (header == null) {
      fill();
      header = parser.take(in);
    }
    Call call = header.sequence() < 0 ? null : outstanding.get(header.sequence());
    if (call == null) {
      throw new ProtocolException("a reply to what was not asked, Cseq " + header.sequence());
    }
    ByteBuffer body = header.bodyBytes() == 0 ? Reply.NO_BODY : readBody(header, call.request());
    outstanding.remove(header.sequence());
    window.release();
    call.complete(new Reply(header.fields(), header.status(), body));
  }

  private void fill() throws IOException {
    in.clear();
    int count = channel.read(in);
    in.flip();
    if (count < 0) {
      throw new EOFException(
          parser.inside()
              ? "closed by the peer in the middle of a reply's headers"
              : "closed by the peer");
    }
  }

  private ByteBuffer readBody(ReplyHeader header, Request request) throws IOException {
    int length = header.bodyBytes();
    ByteBuffer target = header.status() < 0 ? null : request.target();
    int room = target == null ? settings.maxBodyBytes() : target.remaining();
    if (length > room) {
      throw new ProtocolException(
          "a reply to %s with %s bytes, at most %s were expected".formatted(request, length, room));
    }
    ByteBuffer body =
        target == null ? ByteBuffer.allocate(length) : target.slice(target.position(), length);
    int here = Math.min(length, in.remaining());
    body.put(0, in, in.position(), here).position(here);
    in.position(in.position() + here);
    while (body.hasRemaining()) {
      if (channel.read(body) < 0) {
        throw new EOFException(
            "closed by the peer after %s of %s bytes of the reply to %s"
                .formatted(body.position(), length, request));
      }
    }
    return body.flip();
  }

  /** Closes; calls without a reply fail. Never throws. */
  @Override
  public void close() {
    breakOff("closed by this side", null);
  }
}

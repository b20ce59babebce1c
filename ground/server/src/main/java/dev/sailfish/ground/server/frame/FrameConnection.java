package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.server.tls.TlsPort;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.tls.TlsFailure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a {@link FrameServer}. Everything but {@link #answer}, {@link #onLoop}, {@link
 * #peer}, {@link #caller}, {@link #isOpen} and {@link #hasEnded} happens on the connection's I/O
 * thread.
 *
 * <p>Reading stops while the peer does not take its answers or has too many requests outstanding;
 * bytes that were read before that wait in {@code unread} (at most a read or two).
 */
final class FrameConnection extends ChannelInboundHandlerAdapter implements FrameParser.Target {
  private static final Logger LOG = LoggerFactory.getLogger(FrameConnection.class);
  private static final int MAX_TEXT_CHARS = 400;

  private final ServerShared shared;
  private final FrameParser parser = new FrameParser(this);
  private final ArrayDeque<ByteBuf> unread = new ArrayDeque<>();
  private final ServerHandshake handshake;

  // Answers of other threads, for the I/O thread.
  private final Queue<OutboundFrame> answers = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean answersScheduled = new AtomicBoolean();
  private ChannelHandlerContext ctx;
  private PeerDeadlines deadlines;
  // Address of a peer that has to prove who it is.
  private SocketAddress newPeer;
  private volatile String caller = "unknown";
  private InboundRequest current;
  private PayloadSink currentSink;
  private boolean headerInPayload;
  private int outstanding;
  private boolean paused;
  private boolean resumeScheduled;
  private boolean draining;
  private volatile boolean inputEnded;
  private boolean closing;

  FrameConnection(ServerShared shared) {
    this.shared = shared;
    this.handshake = new ServerHandshake(shared, this);
  }

  // ---- from any thread

  SocketAddress peer() {
    return ctx.channel().remoteAddress();
  }

  String caller() {
    return caller;
  }

  boolean isOpen() {
    return ctx.channel().isActive();
  }

  /** Whether no further request comes. */
  boolean hasEnded() {
    return inputEnded || !isOpen();
  }

  Principal principal() {
    return handshake.principal();
  }

  byte[] session() {
    return handshake.session();
  }

  /** Does something on the I/O thread: now if this is it, else soon, unless the server ends. */
  void onLoop(Runnable work) {
    if (ctx.executor().inEventLoop()) {
      work.run();
      return;
    }
    try {
      ctx.executor().execute(ErrorGuard.guarded(work));
    } catch (RejectedExecutionException e) {
      LOG.debug("handshake with {} goes no further, the server was closed", caller, e);
    }
  }

  /** By the clock of the peer's deadlines. */
  long nanoTime() {
    return ctx.executor().ticker().nanoTime();
  }

  /** The answer to a request that began at {@code startNs}. */
  void answer(OutboundFrame frame, long startNs) {
    shared.metrics().observe(ServerMetric.REQUEST_SECONDS, frame.operation(), nanoTime() - startNs);
    send(frame);
  }

  private void send(OutboundFrame frame) {
    if (ctx.executor().inEventLoop()) {
      write(frame);
      if (!draining) {
        ctx.flush();
      }
      return;
    }
    answers.add(frame);
    if (answersScheduled.compareAndSet(false, true)) {
      try {
        ctx.executor().execute(ErrorGuard.guarded(this::sendAnswers));
      } catch (RejectedExecutionException e) {
        LOG.debug("answer to {} came after the server was closed", caller, e);
        dropAnswers();
      }
    }
  }

  /** Those that other threads give meanwhile go with one write. */
  private void sendAnswers() {
    answersScheduled.set(false);
    for (OutboundFrame frame = answers.poll(); frame != null; frame = answers.poll()) {
      write(frame);
    }
    ctx.flush();
  }

  private void dropAnswers() {
    answersScheduled.set(false);
    for (OutboundFrame frame = answers.poll(); frame != null; frame = answers.poll()) {
      frame.released().run();
    }
  }

  // ---- the channel

  @Override
  public void channelActive(ChannelHandlerContext context) {
    deadlines = new PeerDeadlines(this, shared.config().deadlines(), context);
    deadlines.start();
    if (shared.authenticator() != null) {
      newPeer = peer();
      FrameConnection oldest = shared.newcomers().add(newPeer, this);
      if (oldest != null) {
        oldest.onLoop(oldest::crowdOut);
      }
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    shared.metrics().add(ServerMetric.RECEIVED_BYTES, bytes.readableBytes());
    deadlines.received();
    if (closing) {
      bytes.release();
      return;
    }
    unread.add(bytes);
    drain();
  }

  /** Consumes what was read, as far as the peer's limits allow. */
  private void drain() {
    draining = true;
    try {
      while (!unread.isEmpty() && !closing && !overLimit()) {
        ByteBuf bytes = unread.peek();
        while (bytes.isReadable() && !closing && !overLimit()) {
          parser.consume(bytes);
        }
        if (!bytes.isReadable()) {
          unread.remove().release();
        }
      }
    } catch (ProtocolException e) {
      protocolError(e);
    } finally {
      draining = false;
    }
    ctx.flush();
    setPaused(!closing && overLimit());
    // The flush may have made room after the loop had stopped for want of it.
    scheduleResume();
    closeIfDone();
  }

  private boolean overLimit() {
    return outstanding >= shared.config().limits().outstandingRequests()
        || handshake.state().isWaitForUs()
        || !ctx.channel().isWritable();
  }

  private void setPaused(boolean pause) {
    if (pause == paused) {
      return;
    }
    paused = pause;
    if (pause) {
      shared.metrics().increment(ServerMetric.READ_PAUSES);
    } else {
      deadlines.resumed();
    }
    ctx.channel().config().setAutoRead(!pause);
  }

  /** Goes on reading in a task of its own, because it is called from within writes. */
  private void scheduleResume() {
    boolean waiting = paused || (!unread.isEmpty() && !closing);
    if (!waiting || draining || resumeScheduled || overLimit()) {
      return;
    }
    resumeScheduled = true;
    ctx.executor()
        .execute(
            ErrorGuard.guarded(
                () -> {
                  resumeScheduled = false;
                  drain();
                }));
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    scheduleResume();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent || event instanceof SslCloseCompletionEvent) {
      inputEnded = true;
      closeIfDone();
    } else if (event instanceof SslHandshakeCompletionEvent handshaken && !handshaken.isSuccess()) {
      tlsFailed(handshaken.cause());
    }
  }

  /** The TLS handshake has failed; the handlers beneath end the connection. */
  private void tlsFailed(Throwable cause) {
    closing = true;
    if (cause instanceof ClosedChannelException) {
      LOG.debug("peer at {} left before TLS was spoken", peer());
      return;
    }
    shared.metrics().increment(ServerMetric.TLS_FAILURES);
    shared.warn("TLS handshake with " + peer() + " failed: " + explained(cause));
  }

  private static String explained(Throwable cause) {
    return printable(TlsFailure.explain(cause));
  }

  /** After the peer's last byte: answers what is outstanding, then closes. */
  private void closeIfDone() {
    if (!inputEnded || (!unread.isEmpty() && !closing)) {
      return;
    }
    if (closing || parser.inFrame() || outstanding == 0) {
      ctx.close();
    }
  }

  /** The peer has proved who it is. */
  void authenticated() {
    shared.newcomers().remove(newPeer, this);
  }

  /** Others want to come in, and this peer has not proved who it is. */
  private void crowdOut() {
    if (handshake.state() != HandshakeState.DONE) {
      shared.metrics().increment(ServerMetric.CROWDED_OUT);
      shared.warn(
          ("closing connection of %s at %s: too many connections whose peers have not proved"
                  + " who they are")
              .formatted(caller, peer()));
      TlsPort.cut(ctx.pipeline());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    closing = true;
    if (newPeer != null) {
      shared.newcomers().remove(newPeer, this);
    }
    if (parser.inFrame()) {
      LOG.debug("{} at {} left in the middle of a frame", caller, peer());
    }
    abortPayload();
    while (!unread.isEmpty()) {
      unread.remove().release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    ErrorGuard.check(cause);
    if (cause instanceof DecoderException && cause.getCause() instanceof SSLException) {
      if (!closing) {
        shared.warn("closing connection of " + caller + " at " + peer() + ": " + explained(cause));
      }
    } else if (cause instanceof IOException) {
      LOG.debug("connection of {} at {} broke", caller, peer(), cause);
    } else {
      LOG.error("connection of {} at {} is closed after a defect", caller, peer(), cause);
    }
    context.close();
  }

  // ---- frames

  @Override
  public PayloadSink begin(int code, int flags, long correlation, byte[] header, int payloadLength)
      throws ProtocolException {
    Operation<?, ?> operation = shared.service().ofCode(code);
    shared.metrics().increment(ServerMetric.REQUESTS);
    if ((flags & FrameDescriptor.FLAG_RESPONSE) != 0) {
      throw new ProtocolException("a response was sent to a server: operation=" + operation);
    }
    handshake.check(operation, payloadLength);
    outstanding++;
    headerInPayload = (flags & FrameDescriptor.FLAG_HEADER_IN_PAYLOAD) != 0;
    current = new InboundRequest(this, operation, correlation, header);
    currentSink = openSink(payloadLength);
    return currentSink;
  }

  /** Checks that the caller may ask for this; its payload, if there is any, goes to the sink. */
  private PayloadSink openSink(int payloadLength) {
    try {
      if (handshake.awaited() == null) {
        handshake.principal().check(current.operation());
      }
      if (payloadLength == 0) {
        return null;
      }
      PayloadSink sink = headerInPayload ? null : handler().payloadSink(current, payloadLength);
      return sink != null
          ? sink
          : new CollectingSink(shared.collectedBytes(), payloadLength, shared.config().limits());
    } catch (IOException | RuntimeException e) {
      failed(current, e);
      return null;
    }
  }

  /** Who does what users and others ask for. */
  private RequestHandler handler() {
    RequestHandler ofUser = handshake.principal().requests();
    return ofUser == null ? shared.handler() : ofUser;
  }

  @Override
  public void payloadFailed(Exception cause) {
    InboundRequest request = current;
    abortPayload();
    failed(request, cause);
  }

  @Override
  public void end() {
    InboundRequest request = current;
    PayloadSink sink = currentSink;
    current = null;
    currentSink = null;
    if (request.isAnswered()) {
      return;
    }
    request.complete(sink, headerInPayload);
    try {
      if (request.operation() == Operation.HELLO) {
        handshake.hello(request);
      } else if (request.operation() == Operation.AUTHENTICATE) {
        handshake.authenticate(request);
      } else {
        handler().handle(request);
      }
    } catch (IOException | RuntimeException e) {
      failed(request, e);
    }
  }

  private void abortPayload() {
    PayloadSink sink = currentSink;
    currentSink = null;
    if (sink != null) {
      sink.abort();
    }
  }

  private void failed(InboundRequest request, Exception cause) {
    if (cause instanceof RequestRefusedException refusal) {
      if (refusal.status() == Status.FORBIDDEN) {
        shared.metrics().increment(ServerMetric.FORBIDDEN);
        warnOfRefusal(refusal.getMessage());
      }
      request.failIfOpen(refusal.status(), refusal.getMessage());
      return;
    }
    shared.metrics().increment(ServerMetric.HANDLER_ERRORS);
    LOG.error("request failed: operation={} caller={}", request.operation(), caller, cause);
    request.failIfOpen(
        Status.INTERNAL,
        shared.config().name() + " failed at " + request.operation() + ": " + cause);
  }

  /** How the caller named itself. */
  void calledBy(String name) {
    caller = printable(name);
  }

  /** The handshake does not wait for a key any more. */
  void handshakeMoved() {
    deadlines.greeted();
    scheduleResume();
  }

  /** Ends the handshake and the connection with an answer. */
  void refuse(InboundRequest request, Status status, String message) {
    warnOfRefusal(message);
    request.failIfOpen(status, message);
    linger();
  }

  /** The message may name what the peer has named. */
  private void warnOfRefusal(String message) {
    shared.warn("refusing " + caller + " at " + peer() + ": " + printable(message));
  }

  private static String printable(String text) {
    StringBuilder printable = new StringBuilder();
    text.codePoints()
        .limit(MAX_TEXT_CHARS)
        .map(c -> Character.isISOControl(c) ? '?' : c)
        .forEach(printable::appendCodePoint);
    return printable.toString();
  }

  // ---- ends

  private void protocolError(ProtocolException cause) {
    shared.metrics().increment(ServerMetric.PROTOCOL_ERRORS);
    shared.warn("closing connection of " + caller + " at " + peer() + ": " + cause.getMessage());
    if (!parser.answerable()) {
      closing = true;
      ctx.close();
      return;
    }
    outstanding++;
    write(OutboundFrame.bad(Operation.HELLO, parser.correlation(), status(), cause.getMessage()));
    linger();
  }

  private Status status() {
    if (parser.otherVersion()) {
      return Status.VERSION_MISMATCH;
    }
    if (handshake.state() != HandshakeState.PROVING) {
      return Status.BAD_REQUEST;
    }
    shared.metrics().increment(ServerMetric.UNAUTHENTICATED);
    return Status.UNAUTHENTICATED;
  }

  /**
   * Closes so that the peer can still read the last answer: a socket that is closed with unread
   * bytes in it would be reset, and the answer lost. Ends when the peer closes, or by {@link
   * PeerDeadlines}.
   */
  private void linger() {
    closing = true;
    deadlines.lingering();
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            written -> {
              if (written.isSuccess()) {
                TlsPort.endOutput(ctx);
              }
            });
  }

  /** A deadline of the peer has passed. */
  void drop(String reason) {
    shared.metrics().increment(ServerMetric.PEER_DEADLINES);
    shared.warn("closing connection of " + caller + " at " + peer() + ": " + reason);
    TlsPort.cut(ctx.pipeline());
  }

  /**
   * The peer has asked for nothing in a long time, or has had time enough to read a last answer.
   */
  void end(String reason) {
    LOG.debug("closing connection of {} at {}: {}", caller, peer(), reason);
    TlsPort.cut(ctx.pipeline());
  }

  ServerHandshake handshake() {
    return handshake;
  }

  boolean isPaused() {
    return paused;
  }

  boolean hasOutstanding() {
    return outstanding > 0;
  }

  FrameParser parser() {
    return parser;
  }

  // ---- answers

  private void write(OutboundFrame frame) {
    ChannelPromise last = ctx.newPromise();
    last.addListener(written -> written(frame, written.cause()));
    List<Object> parts = frame.parts();
    ByteBuf head = frame.head(ctx.alloc());
    if (parts.isEmpty()) {
      ctx.write(head, last);
      return;
    }
    ctx.write(head);
    int end = parts.size() - 1;
    for (int i = 0; i < end; i++) {
      ctx.write(parts.get(i));
    }
    ctx.write(parts.get(end), last);
  }

  private void written(OutboundFrame frame, Throwable cause) {
    outstanding--;
    frame.released().run();
    if (cause != null) {
      writeFailed(frame, cause);
      return;
    }
    deadlines.sent();
    shared.metrics().add(ServerMetric.SENT_BYTES, frame.length());
    if (frame.isError()) {
      shared.metrics().increment(ServerMetric.REFUSALS);
    }
    scheduleResume();
    closeIfDone();
  }

  private void writeFailed(OutboundFrame frame, Throwable cause) {
    if (ctx.channel().isActive()) {
      shared.warn(
          "closing connection of %s at %s: answer cannot be written: operation=%s bytes=%s: %s"
              .formatted(caller, peer(), frame.operation(), frame.length(), cause));
      ctx.close();
    } else {
      LOG.debug("answer is dropped, {} at {} is gone", caller, peer(), cause);
    }
  }
}

package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.wire.Operation;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Looks at one connection now and then and ends it when its peer has let a deadline pass. On the
 * connection's I/O thread only.
 */
final class PeerDeadlines implements Runnable {
  private static final long MAX_LINGER_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_PERIOD_NS = TimeUnit.SECONDS.toNanos(5);
  private static final int CHECKS_PER_DEADLINE = 4;
  private static final long NO_FRAME = -1;

  /** What must come of a payload in each frame deadline, unless all of it has come. */
  static final int LEAST_PAYLOAD_BYTES = 256 << 10;

  private final FrameConnection connection;
  private final ChannelHandlerContext ctx;
  private final long frameNs;
  private final long handshakeNs;
  private final long writeNs;
  private final long idleNs;
  private final long periodNs;

  private long handshakeSinceNs;
  private long receivedNs;
  private long headerFrame = NO_FRAME;
  private long headerSinceNs;
  private long payloadFrame = NO_FRAME;
  private long payloadSinceNs;
  private int payloadMark;
  private long sentNs;
  private long sendMark;
  private boolean lingering;
  private long lingeringSinceNs;

  PeerDeadlines(
      FrameConnection connection, ServerConfig.Deadlines deadlines, ChannelHandlerContext ctx) {
    this.connection = connection;
    this.ctx = ctx;
    this.frameNs = deadlines.frame().toNanos();
    this.handshakeNs = deadlines.handshake().toNanos();
    this.writeNs = deadlines.write().toNanos();
    this.idleNs = deadlines.idle().toNanos();
    this.periodNs = period(deadlines.frame(), deadlines.write(), deadlines.idle());
    long connectedNs = nowNs();
    this.handshakeSinceNs = connectedNs;
    this.receivedNs = connectedNs;
    this.headerSinceNs = connectedNs;
    this.payloadSinceNs = connectedNs;
    this.sentNs = connectedNs;
  }

  private static long period(Duration... deadlines) {
    long least = MAX_PERIOD_NS * CHECKS_PER_DEADLINE;
    for (Duration deadline : deadlines) {
      least = Math.min(least, deadline.toNanos());
    }
    return Math.max(1, least / CHECKS_PER_DEADLINE);
  }

  void start() {
    schedule(periodNs);
  }

  /** The clock by which the thread is told to look again. */
  private long nowNs() {
    return ctx.executor().ticker().nanoTime();
  }

  private void schedule(long delayNs) {
    ctx.executor().schedule(ErrorGuard.guarded(this), delayNs, TimeUnit.NANOSECONDS);
  }

  /** Bytes have come. */
  void received() {
    receivedNs = nowNs();
  }

  /** Reading goes on after a pause of ours, which the peer's frame does not answer for. */
  void resumed() {
    received();
    headerFrame = NO_FRAME;
    payloadFrame = NO_FRAME;
  }

  /** HELLO was answered, after a wait of ours perhaps: the next step's time begins. */
  void greeted() {
    handshakeSinceNs = nowNs();
  }

  /** An answer has gone out. */
  void sent() {
    sentNs = nowNs();
  }

  /** The last answer was given; the peer has a moment to read it. */
  void lingering() {
    if (!lingering) {
      lingering = true;
      lingeringSinceNs = nowNs();
      schedule(MAX_LINGER_NS);
    }
  }

  @Override
  public void run() {
    if (!ctx.channel().isOpen()) {
      return;
    }
    check(nowNs());
    if (ctx.channel().isOpen()) {
      schedule(periodNs);
    }
  }

  private void check(long now) {
    if (lingering) {
      if (now - lingeringSinceNs >= MAX_LINGER_NS) {
        connection.end("it had time to read the last answer");
      }
      return;
    }
    boolean sending = checkSending(now);
    if (!connection.isPaused()) {
      checkReceiving(now);
    }
    boolean idle = !sending && !connection.hasOutstanding() && !connection.parser().inFrame();
    if (idle && now - receivedNs >= idleNs && now - sentNs >= idleNs) {
      connection.end("idle for " + TimeUnit.NANOSECONDS.toMillis(idleNs) + " ms");
    }
  }

  /** Returns whether answers wait for the peer. */
  private boolean checkSending(long now) {
    ChannelOutboundBuffer outbound = ctx.channel().unsafe().outboundBuffer();
    if (outbound == null || outbound.isEmpty()) {
      sendMark = 0;
      return false;
    }
    long mark = 1 + outbound.totalPendingWriteBytes() + 31 * outbound.currentProgress();
    if (mark != sendMark) {
      sendMark = mark;
      sentNs = now;
    } else if (now - sentNs >= writeNs) {
      connection.drop(
          "it does not read its answers: waiting=%s bytes, no progress in %s ms"
              .formatted(
                  outbound.totalPendingWriteBytes(), TimeUnit.NANOSECONDS.toMillis(now - sentNs)));
    }
    return true;
  }

  private void checkReceiving(long now) {
    FrameParser parser = connection.parser();
    boolean header = parser.inFrame() && !parser.inPayload();
    if (header && headerFrame != parser.frames()) {
      headerFrame = parser.frames();
      headerSinceNs = receivedNs;
    }
    long limitMs = TimeUnit.NANOSECONDS.toMillis(frameNs);
    Operation<?, ?> awaited = connection.handshake().awaited();
    if (awaited != null && now - handshakeSinceNs >= handshakeNs) {
      connection.drop(
          "no " + awaited + " in " + TimeUnit.NANOSECONDS.toMillis(handshakeNs) + " ms");
    } else if (header && now - headerSinceNs >= frameNs) {
      connection.drop("header of a frame is not complete in " + limitMs + " ms");
    } else if (parser.inPayload()) {
      checkPayload(parser, now, limitMs);
    }
  }

  /** A payload holds room in its sink while it comes: one byte now and then is not enough. */
  private void checkPayload(FrameParser parser, long now, long limitMs) {
    if (payloadFrame != parser.frames()) {
      payloadFrame = parser.frames();
      payloadSinceNs = receivedNs;
      payloadMark = parser.payloadLeft();
    }
    if (now - receivedNs >= frameNs) {
      connection.drop("no byte of a frame's payload in " + limitMs + " ms");
    } else if (now - payloadSinceNs >= frameNs) {
      int came = payloadMark - parser.payloadLeft();
      if (came < LEAST_PAYLOAD_BYTES) {
        connection.drop(
            "payload comes too slowly: bytes=%s least=%s in %s ms, missing=%s"
                .formatted(came, LEAST_PAYLOAD_BYTES, limitMs, parser.payloadLeft()));
      }
      payloadSinceNs = now;
      payloadMark = parser.payloadLeft();
    }
  }
}

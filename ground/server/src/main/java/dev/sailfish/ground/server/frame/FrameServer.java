package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.tls.TlsPort;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.tls.TlsContext;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on one port and hands requests to a {@link RequestHandler}.
 *
 * <p>Payloads are never collected unless the handler wants that: they go to its sink piece by piece
 * as they come off the socket. What one peer can hold in memory is limited by {@link
 * ServerConfig.Limits}, how long it can do nothing by {@link ServerConfig.Deadlines}. A peer that
 * breaks the protocol costs a log line (at most one a second), gets an error frame where it can
 * understand one, and is disconnected.
 */
public final class FrameServer implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FrameServer.class);
  private static final int BACKLOG = 1024;
  private static final int LEAST_READ_BYTES = 2048;
  private static final int FIRST_READ_BYTES = 16 << 10;

  private final ServerConfig config;
  private final Metrics<ServerMetric> metrics;
  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;
  private Channel channel;

  private FrameServer(ServerConfig config, Metrics<ServerMetric> metrics) {
    this.config = config;
    this.metrics = metrics;
    String threads = config.name().replace(' ', '-');
    this.acceptor =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory(threads + "-accept", true), NioIoHandler.newFactory());
    this.workers =
        new MultiThreadIoEventLoopGroup(
            config.threads(),
            new DefaultThreadFactory(threads + "-io", true),
            NioIoHandler.newFactory());
  }

  /**
   * Starts a server to which anyone may connect and which lets anyone do everything; see the other
   * {@code start}.
   */
  public static FrameServer start(Service service, ServerConfig config, RequestHandler handler)
      throws IOException {
    return start(service, config, handler, null, new Metrics<>(ServerMetric.class));
  }

  /**
   * Binds and starts to listen.
   *
   * @param service whose operations are served; requests of others end the connection
   * @param authenticator knows who may connect; null: anyone
   * @param metrics what it counts
   * @throws IOException naming host and port when they cannot be bound
   */
  public static FrameServer start(
      Service service,
      ServerConfig config,
      RequestHandler handler,
      Authenticator authenticator,
      Metrics<ServerMetric> metrics)
      throws IOException {
    FrameServer server = new FrameServer(config, metrics);
    boolean started = false;
    try {
      server.bind(service, handler, authenticator);
      started = true;
      return server;
    } finally {
      if (!started) {
        server.close();
      }
    }
  }

  private void bind(Service service, RequestHandler handler, Authenticator authenticator)
      throws IOException {
    ServerShared shared =
        new ServerShared(
            service,
            config,
            handler,
            authenticator,
            metrics,
            new RateLimitedLog(LOG, Network.SOCKETS),
            new AtomicLong(),
            new Newcomers(config.limits().unauthenticated()));
    ServerConfig.Limits limits = config.limits();
    int outbound = limits.outboundBytes();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptor, workers)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(
                    Math.min(LEAST_READ_BYTES, limits.receiveBytes()),
                    Math.min(FIRST_READ_BYTES, limits.receiveBytes()),
                    limits.receiveBytes()))
            .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, FrameServer::sizeHandle)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(outbound / 2, outbound))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel accepted) {
                    admit(accepted, shared);
                  }
                });
    ChannelFuture bound =
        bootstrap.bind(new InetSocketAddress(config.host(), config.port())).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      String what =
          "%s cannot listen on %s:%s: %s"
              .formatted(config.name(), config.host(), config.port(), bound.cause().getMessage());
      throw (BindException) new BindException(what).initCause(bound.cause());
    }
    channel = bound.channel();
  }

  private void admit(SocketChannel accepted, ServerShared shared) {
    metrics.increment(ServerMetric.CONNECTIONS_ACCEPTED);
    metrics.increment(ServerMetric.CONNECTIONS);
    accepted.closeFuture().addListener(closed -> metrics.add(ServerMetric.CONNECTIONS, -1));
    int limit = config.limits().connections();
    if (metrics.get(ServerMetric.CONNECTIONS) > limit) {
      metrics.increment(ServerMetric.CONNECTIONS_REFUSED);
      shared.warn("too many connections: limit=" + limit + " peer=" + accepted.remoteAddress());
      accepted.close();
      return;
    }
    config.tls().ifPresent(context -> tlsPort(context).addTo(accepted.pipeline()));
    accepted.pipeline().addLast("frames", new FrameConnection(shared));
  }

  private TlsPort tlsPort(TlsContext context) {
    return new TlsPort(context, config.deadlines().handshake().toMillis(), this::refusePlain);
  }

  /** What is said to a peer of ours that does not know that it should speak TLS. */
  private ByteBuf refusePlain(ByteBuf first) {
    if (first.readableBytes() < FrameDescriptor.LENGTH) {
      return null;
    }
    ByteBuffer frame = first.nioBuffer(first.readerIndex(), FrameDescriptor.LENGTH);
    if (!FrameDescriptor.begins(frame, 0)) {
      return null;
    }
    return OutboundFrame.bad(
            Operation.HELLO,
            FrameDescriptor.correlation(frame, 0),
            Status.UNAUTHENTICATED,
            config.name()
                + " requires TLS, and this connection came without it: set sailfish.tls=true for a"
                + " job, tls=required for a daemon, --tls-client-file for a command")
        .head(ByteBufAllocator.DEFAULT);
  }

  /** File regions count like memory, so that a peer cannot have files without end wait for it. */
  private static MessageSizeEstimator.Handle sizeHandle() {
    return message -> {
      if (message instanceof ByteBuf bytes) {
        return bytes.readableBytes();
      }
      return message instanceof FileRegion region
          ? (int) Math.min(region.count(), Integer.MAX_VALUE / 2)
          : 0;
    };
  }

  /** The port that is listened on. */
  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /** What the server counts. */
  public Metrics<ServerMetric> metrics() {
    return metrics;
  }

  /**
   * Stops listening and closes all connections; answers that are given later are dropped. Returns
   * when all I/O threads have ended, or after the close deadline with a warning.
   */
  @Override
  public void close() {
    long deadlineNs = config.deadlines().close().toNanos();
    long end = System.nanoTime() + deadlineNs;
    acceptor.shutdownGracefully(0, deadlineNs, TimeUnit.NANOSECONDS);
    workers.shutdownGracefully(0, deadlineNs, TimeUnit.NANOSECONDS);
    boolean ended =
        acceptor.terminationFuture().awaitUninterruptibly(left(end), TimeUnit.NANOSECONDS)
            && workers.terminationFuture().awaitUninterruptibly(left(end), TimeUnit.NANOSECONDS);
    if (!ended) {
      LOG.warn(
          "{}: I/O threads did not end in {} ms; a handler does not return",
          config.name(),
          config.deadlines().close().toMillis());
    }
  }

  private static long left(long endNs) {
    return Math.max(1, endNs - System.nanoTime());
  }
}

package dev.sailfish.ground.server.web;

import dev.sailfish.ground.server.tls.TlsPort;
import dev.sailfish.ground.wire.tls.TlsContext;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the {@link WebPages} of a daemon over HTTP, or over HTTPS where TLS is on. With a token
 * those that are not open to all are only for requests that bear it. The endpoint has one thread.
 *
 * <p>Whatever peers do, memory is bounded: there are at most {@link #MAX_CONNECTIONS}, each holds
 * at most {@link WebConnection#MAX_LINE_BYTES} and {@link WebConnection#MAX_HEADERS_BYTES}, and
 * ends after {@link WebConnection#DEADLINE_MS}. One connection more closes the oldest one: that is
 * the one whose peer is slow.
 */
public final class WebEndpoint implements Closeable {
  /** Connections at a time. */
  static final int MAX_CONNECTIONS = 256;

  private static final Logger LOG = LoggerFactory.getLogger(WebEndpoint.class);
  private static final int READ_BYTES = 2048;
  private static final long CLOSE_DEADLINE_MS = 2000;

  private static final String PLAIN_REFUSAL =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
          + "this port speaks HTTPS: ask for https://\n";

  private final WebPages pages;
  private final Optional<WebToken> token;
  private final Optional<TlsPort> tls;
  private final EventLoopGroup group;
  // In the order in which they came; used by the endpoint's thread only.
  private final Set<Channel> connections = new LinkedHashSet<>();
  private Channel listener;

  private WebEndpoint(Monitored daemon, Optional<WebToken> token, Optional<TlsContext> context) {
    this.pages = new WebPages(daemon, context);
    this.token = token;
    this.tls =
        context.map(keys -> new TlsPort(keys, WebConnection.DEADLINE_MS, first -> refusePlain()));
    this.group =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory(daemon.name().replace(' ', '-') + "-web", true),
            NioIoHandler.newFactory());
  }

  /**
   * Binds and starts to answer.
   *
   * @param bind the address to listen on
   * @param port the port to listen on; 0 = any free one
   * @param token what requests must bear; absent: anyone may see the pages
   * @param tls the server's keys, for HTTPS; absent: HTTP
   * @throws IOException naming host and port when they cannot be bound
   */
  public static WebEndpoint start(
      Monitored daemon, String bind, int port, Optional<byte[]> token, Optional<TlsContext> tls)
      throws IOException {
    WebEndpoint endpoint = new WebEndpoint(daemon, token.map(WebToken::new), tls);
    ChannelFuture bound = endpoint.bind(bind, port);
    if (!bound.isSuccess()) {
      endpoint.close();
      String what =
          "%s cannot listen on %s:%d for its web page: %s"
              .formatted(daemon.name(), bind, port, bound.cause().getMessage());
      throw new IOException(what, bound.cause());
    }
    endpoint.listener = bound.channel();
    return endpoint;
  }

  private ChannelFuture bind(String host, int port) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel accepted) {
                    admit(accepted);
                  }
                });
    return bootstrap.bind(new InetSocketAddress(host, port)).awaitUninterruptibly();
  }

  private void admit(SocketChannel accepted) {
    if (connections.size() >= MAX_CONNECTIONS) {
      Iterator<Channel> oldest = connections.iterator();
      Channel slow = oldest.next();
      oldest.remove();
      LOG.debug("too many web connections: limit={} closing={}", MAX_CONNECTIONS, slow);
      TlsPort.cut(slow.pipeline());
    }
    connections.add(accepted);
    accepted.closeFuture().addListener(closed -> connections.remove(accepted));
    tls.ifPresent(port -> port.addTo(accepted.pipeline()));
    WebConnection.addTo(accepted.pipeline(), pages, token);
  }

  private static ByteBuf refusePlain() {
    return Unpooled.copiedBuffer(PLAIN_REFUSAL, StandardCharsets.US_ASCII);
  }

  /** The port that is listened on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Stops at once; requests being answered are cut off. */
  @Override
  public void close() {
    group.shutdownGracefully(0, CLOSE_DEADLINE_MS, TimeUnit.MILLISECONDS);
    if (!group.terminationFuture().awaitUninterruptibly(CLOSE_DEADLINE_MS)) {
      LOG.warn("the web thread did not end in {} ms", CLOSE_DEADLINE_MS);
    }
  }
}

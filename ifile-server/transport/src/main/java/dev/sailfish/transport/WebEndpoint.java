package dev.sailfish.transport;

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
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What people and monitoring see of a server over HTTP, read-only:
 *
 * <ul>
 *   <li>{@code /health}: 200 and {@code ok} while the server runs
 *   <li>{@code /metrics}: all counters, and what the process itself uses, in Prometheus' text
 *       format, with the prefix {@code sailfish_}
 *   <li>{@code /status}: a small flat JSON object
 * </ul>
 *
 * The suppliers are called by the endpoint's one thread and must not wait. With a token ({@link
 * WebSettings#token}) the last two are only for requests that bear it.
 *
 * <p>Whatever peers do, memory is bounded: there are at most {@link #MAX_CONNECTIONS}, each holds
 * at most {@link WebConnection#MAX_HEAD_BYTES} and ends after {@link WebConnection#DEADLINE_MS}.
 * One connection more closes the oldest one: that is the one whose peer is slow.
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

  private final Map<String, Supplier<Page>> pages;
  private final Optional<WebToken> token;
  private final Optional<TlsPort> tls;
  private final EventLoopGroup group;
  // In the order in which they came; used by the endpoint's thread only.
  private final Set<Channel> connections = new LinkedHashSet<>();
  private Channel listener;

  /** What is under a path. */
  record Page(String type, String body) {}

  private WebEndpoint(
      String name,
      Map<String, Supplier<Page>> pages,
      Optional<WebToken> token,
      Optional<TlsContext> context) {
    this.pages = pages;
    this.token = token;
    this.tls =
        context.map(keys -> new TlsPort(keys, WebConnection.DEADLINE_MS, first -> refusePlain()));
    this.group =
        new MultiThreadIoEventLoopGroup(
            1,
            work -> {
              Thread thread = new Thread(work, name.replace(' ', '-') + "-web");
              thread.setDaemon(true);
              return thread;
            },
            NioIoHandler.newFactory());
  }

  /**
   * Binds and starts to answer.
   *
   * @param name of the server, for thread names
   * @param settings the port to bind to, and the token
   * @param tls the server's keys, for HTTPS; absent: HTTP
   * @param metrics counters by label
   * @param status fields of {@code /status}; Numbers and Booleans stay such in JSON, anything else
   *     becomes a string
   * @throws IOException naming host and port when they cannot be bound, or the token's file when it
   *     cannot be used
   */
  public static WebEndpoint start(
      String name,
      String host,
      WebSettings settings,
      Optional<TlsContext> tls,
      Supplier<Map<String, Long>> metrics,
      Supplier<Map<String, Object>> status)
      throws IOException {
    Map<String, Supplier<Page>> pages =
        Map.of(
            WebConnection.OPEN_TO_ALL,
            () -> new Page("text/plain", "ok\n"),
            "/metrics",
            () -> new Page("text/plain; version=0.0.4", text(metrics.get())),
            "/status",
            () -> new Page("application/json", json(status.get())));
    WebEndpoint endpoint = new WebEndpoint(name, pages, settings.token().map(WebToken::new), tls);
    ChannelFuture bound = endpoint.bind(host, settings.port());
    if (!bound.isSuccess()) {
      endpoint.close();
      throw new IOException(
          name
              + " cannot listen on "
              + host
              + ":"
              + settings.port()
              + " for its web page: "
              + bound.cause().getMessage(),
          bound.cause());
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
    accepted.pipeline().addLast("web", new WebConnection(pages, token));
  }

  private static ByteBuf refusePlain() {
    return Unpooled.copiedBuffer(PLAIN_REFUSAL, StandardCharsets.US_ASCII);
  }

  private static String text(Map<String, Long> metrics) {
    StringBuilder out = new StringBuilder();
    Map<String, Long> all = new TreeMap<>(ProcessGauges.read());
    all.putAll(metrics);
    all.forEach(
        (label, value) -> {
          String name = "sailfish_" + label.replaceAll("[^a-zA-Z0-9_:]", "_");
          out.append("# TYPE ").append(name).append(" untyped\n");
          out.append(name).append(' ').append(value).append('\n');
        });
    return out.toString();
  }

  private static String json(Map<String, Object> fields) {
    StringBuilder out = new StringBuilder("{");
    fields.forEach(
        (name, value) -> {
          out.append(out.length() == 1 ? "" : ",").append(quoted(name)).append(':');
          boolean plain = value instanceof Number || value instanceof Boolean;
          out.append(plain ? value.toString() : quoted(String.valueOf(value)));
        });
    return out.append("}\n").toString();
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
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

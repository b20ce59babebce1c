package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Service;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.Channels;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * One accepted connection of a simulated server: the real {@link FrameConnection}, parser,
 * handshake and deadlines included, on a channel that is moved by method calls instead of a socket.
 */
public final class SimulatedConnection {
  /** What the server does to the connection. */
  public interface Output {
    /** It has sent bytes. */
    void sent(byte[] bytes);

    /** It has closed, behind what it has sent. */
    void closed();
  }

  /** What the connections of one server share. */
  public static final class Server {
    private final ServerShared shared;
    private final Ticker ticker;

    /**
     * @param service whose operations are asked for
     * @param config names the server and limits its peers; host and port are not looked at
     * @param authenticator knows who may connect; null: everybody may
     * @param nanoTime the clock of the peers' deadlines
     */
    public Server(
        Service service,
        ServerConfig config,
        RequestHandler handler,
        Authenticator authenticator,
        LongSupplier nanoTime) {
      this.shared =
          new ServerShared(
              service,
              config,
              handler,
              authenticator,
              new Metrics<>(ServerMetric.class),
              new RateLimitedLog(LoggerFactory.getLogger(FrameServer.class), nanoTime::getAsLong),
              new AtomicLong(),
              new Newcomers(config.limits().unauthenticated()));
      this.ticker =
          new Ticker() {
            @Override
            public long initialNanoTime() {
              return 0;
            }

            @Override
            public long nanoTime() {
              return nanoTime.getAsLong();
            }

            @Override
            public void sleep(long delay, TimeUnit unit) {
              throw new UnsupportedOperationException("nobody sleeps in a simulation");
            }
          };
    }

    /** A new connection. */
    public SimulatedConnection accept(SocketAddress peer, Output output) {
      return new SimulatedConnection(this, peer, output);
    }
  }

  private final Wired channel;

  private SimulatedConnection(Server server, SocketAddress peer, Output output) {
    channel = new Wired(server, peer, output);
    channel.closeFuture().addListener(closed -> output.closed());
  }

  public boolean isOpen() {
    return channel.isOpen();
  }

  /** Bytes have come from the peer. */
  public void receive(byte[] bytes) {
    if (channel.isOpen()) {
      channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }
  }

  /** The peer sends no more; it may still read. */
  public void inputEnded() {
    if (channel.isOpen()) {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      channel.runPendingTasks();
    }
  }

  /** The connection is gone. */
  public void reset() {
    if (channel.isOpen()) {
      channel.close();
      channel.runPendingTasks();
    }
  }

  /** Does what the connection has put off, and what is due by now. */
  public void runTasks() {
    if (channel.isOpen()) {
      channel.runPendingTasks();
    }
  }

  /** A channel whose writes go to the {@link Output} at once. */
  private static final class Wired extends EmbeddedChannel {
    private final SocketAddress peer;
    private final Output output;

    Wired(Server server, SocketAddress peer, Output output) {
      super(EmbeddedChannel.builder().register(false).ticker(server.ticker));
      this.peer = peer;
      this.output = output;
      pipeline().addLast(new FrameConnection(server.shared));
      try {
        register();
      } catch (Exception e) {
        throw new IllegalStateException("an embedded channel registers", e);
      }
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return peer;
    }

    @Override
    protected SocketAddress localAddress0() {
      return new InetSocketAddress(0);
    }

    @Override
    protected void handleOutboundMessage(Object message) {
      try {
        if (message instanceof ByteBuf bytes) {
          byte[] copy = new byte[bytes.readableBytes()];
          bytes.readBytes(copy);
          bytes.release();
          output.sent(copy);
        } else if (message instanceof FileRegion region) {
          ByteArrayOutputStream copy = new ByteArrayOutputStream();
          while (region.transferred() < region.count()) {
            region.transferTo(Channels.newChannel(copy), region.transferred());
          }
          region.release();
          output.sent(copy.toByteArray());
        } else {
          throw new IllegalStateException("unknown message: " + message);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

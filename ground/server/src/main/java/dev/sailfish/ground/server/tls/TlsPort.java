package dev.sailfish.ground.server.tls;

import dev.sailfish.ground.wire.tls.TlsContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Puts TLS beneath what speaks on a connection. In the pipeline, from the socket on:
 *
 * <pre>
 *   TlsGate ─ SslHandler ─ TlsWriter ─ FrameConnection, or HTTP
 * </pre>
 *
 * @param context the server's keys
 * @param handshakeMs how long the handshake may take, in milliseconds
 * @param refusal what a peer is told in the clear whose first bytes, the argument, are not TLS;
 *     null: nothing
 */
public record TlsPort(TlsContext context, long handshakeMs, Function<ByteBuf, ByteBuf> refusal) {
  /** Adds the handlers to a new connection, before those that speak on it. */
  public void addTo(ChannelPipeline pipeline) {
    SslHandler tls = new SslHandler(context.engine(null, -1));
    tls.setHandshakeTimeout(handshakeMs, TimeUnit.MILLISECONDS);
    pipeline.addLast("tls-gate", new TlsGate(tls, refusal));
    pipeline.addLast("tls", tls);
    pipeline.addLast("tls-writer", new TlsWriter());
  }

  /**
   * Ends what is said to the peer, behind all that was written and flushed; what the peer says can
   * still be read. With or without TLS.
   */
  public static void endOutput(ChannelHandlerContext ctx) {
    SocketChannel channel = (SocketChannel) ctx.channel();
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    if (tls == null) {
      channel.shutdownOutput();
      return;
    }
    tls.closeOutbound().addListener(said -> channel.shutdownOutput());
  }

  /** Closes a connection at once, without a word to the peer. With or without TLS. */
  public static void cut(ChannelPipeline pipeline) {
    ChannelHandlerContext first = pipeline.firstContext();
    if (first != null) {
      first.close();
    }
  }
}

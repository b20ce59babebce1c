package dev.sailfish.ground.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Stands between the socket and TLS until the handshake is done. A peer that speaks in the clear is
 * told so in the clear. When the handshake fails the connection lingers for a moment, so that the
 * peer can read the alert that says why: a socket that is closed with unread bytes in it would be
 * reset.
 */
final class TlsGate extends ChannelDuplexHandler {
  private static final int TLS_HANDSHAKE = 0x16;
  private static final long LINGER_MS = 1000;

  private final SslHandler tls;
  private final Function<ByteBuf, ByteBuf> refusal;
  private boolean begun;
  private boolean lingering;

  TlsGate(SslHandler tls, Function<ByteBuf, ByteBuf> refusal) {
    this.tls = tls;
    this.refusal = refusal;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (lingering) {
      ReferenceCountUtil.release(message);
      return;
    }
    ByteBuf bytes = (ByteBuf) message;
    if (!begun && bytes.isReadable()) {
      begun = true;
      ByteBuf answer =
          bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE ? null : refusal.apply(bytes);
      if (answer != null) {
        context.write(answer);
      }
    }
    // What is no TLS fails in the next handler, which says so.
    context.fireChannelRead(message);
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    boolean failed = tls.handshakeFuture().isDone() && !tls.handshakeFuture().isSuccess();
    if (!failed || !context.channel().isActive()) {
      context.close(promise);
      return;
    }
    context.channel().closeFuture().addListener(closed -> promise.trySuccess());
    if (lingering) {
      return;
    }
    lingering = true;
    context.channel().config().setAutoRead(true);
    context
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(written -> ((SocketChannel) context.channel()).shutdownOutput());
    context.executor().schedule(() -> context.close(), LINGER_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (lingering && event instanceof ChannelInputShutdownEvent) {
      context.close();
      return;
    }
    context.fireUserEventTriggered(event);
  }
}

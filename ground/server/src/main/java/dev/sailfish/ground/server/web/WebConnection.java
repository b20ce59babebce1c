package dev.sailfish.ground.server.web;

import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.server.tls.TlsPort;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a {@link WebEndpoint}: answers its first request, and closes. What comes behind
 * the request's head is read and dropped, so that the peer can read its answer. Used by the
 * endpoint's thread only.
 */
final class WebConnection extends SimpleChannelInboundHandler<HttpObject> {
  /** The longest request line, and the longest headers together. */
  static final int MAX_LINE_BYTES = 2 << 10;

  static final int MAX_HEADERS_BYTES = 6 << 10;

  /** From the connection's first moment to its last. */
  static final long DEADLINE_MS = 3000;

  private static final Logger LOG = LoggerFactory.getLogger(WebConnection.class);

  private final WebPages pages;
  private final Optional<WebToken> token;
  private Future<?> deadline;
  private boolean answered;
  private boolean written;
  private boolean inputEnded;

  private WebConnection(WebPages pages, Optional<WebToken> token) {
    this.pages = pages;
    this.token = token;
  }

  /** Puts HTTP on a connection. */
  static void addTo(ChannelPipeline pipeline, WebPages pages, Optional<WebToken> token) {
    // Lines may end without a carriage return: there is no proxy to be misled, but people type.
    HttpDecoderConfig limits =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_LINE_BYTES)
            .setMaxHeaderSize(MAX_HEADERS_BYTES)
            .setStrictLineParsing(false);
    pipeline.addLast("request", new HttpRequestDecoder(limits));
    pipeline.addLast("response", new HttpResponseEncoder());
    pipeline.addLast("web", new WebConnection(pages, token));
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    deadline =
        context
            .executor()
            .schedule(() -> TlsPort.cut(context.pipeline()), DEADLINE_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (deadline != null) {
      deadline.cancel(false);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
    if (!answered && message instanceof HttpRequest request) {
      answered = true;
      context
          .writeAndFlush(answer(request))
          .addListener(done -> written(context, done.isSuccess()));
    }
  }

  private FullHttpResponse answer(HttpRequest request) {
    Throwable malformed = request.decoderResult().cause();
    if (malformed instanceof TooLongFrameException) {
      return WebPages.plain(
          HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
          "request line is longer than %d bytes, or headers are longer than %d"
              .formatted(MAX_LINE_BYTES, MAX_HEADERS_BYTES));
    }
    HttpVersion version = request.protocolVersion();
    if (malformed != null || !version.protocolName().equals("HTTP") || version.majorVersion() > 1) {
      return WebPages.plain(HttpResponseStatus.BAD_REQUEST, "not an HTTP/1 request");
    }
    if (!request.method().equals(HttpMethod.GET)) {
      FullHttpResponse refusal =
          WebPages.plain(HttpResponseStatus.METHOD_NOT_ALLOWED, "read-only: only GET is answered");
      refusal.headers().set(HttpHeaderNames.ALLOW, HttpMethod.GET);
      return refusal;
    }
    int query = request.uri().indexOf('?');
    String path = query < 0 ? request.uri() : request.uri().substring(0, query);
    String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
    if (token.isPresent() && WebPages.needsToken(path) && !token.get().isIn(authorization)) {
      FullHttpResponse refusal =
          WebPages.plain(
              HttpResponseStatus.UNAUTHORIZED,
              "this page needs 'Authorization: Bearer TOKEN' with the token of web.token.file");
      refusal.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, WebToken.CHALLENGES);
      return refusal;
    }
    try {
      return pages.page(path);
    } catch (IOException | RuntimeException e) {
      LOG.error("web page failed: path='{}'", path, e);
      return WebPages.plain(
          HttpResponseStatus.INTERNAL_SERVER_ERROR, "page failed, see the log: " + e);
    }
  }

  private void written(ChannelHandlerContext context, boolean success) {
    written = true;
    if (!success || inputEnded) {
      context.close();
    } else {
      TlsPort.endOutput(context);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent || event instanceof SslCloseCompletionEvent) {
      inputEnded = true;
      if (!answered || written) {
        context.close();
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    ErrorGuard.check(cause);
    if (cause instanceof IOException || cause instanceof DecoderException) {
      LOG.debug("web connection of {} broke", context.channel().remoteAddress(), cause);
    } else {
      LOG.error("web connection is closed after a defect", cause);
    }
    context.close();
  }
}

package dev.sailfish.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a {@link WebEndpoint}: reads the head of one request, answers it, and closes.
 * Bytes behind the head are read and dropped, so that the peer can read its answer. Used by the
 * endpoint's thread only.
 */
final class WebConnection extends ChannelInboundHandlerAdapter {
  /** The longest request line and headers together. */
  static final int MAX_HEAD_BYTES = 8 << 10;

  /** From the connection's first moment to its last. */
  static final long DEADLINE_MS = 3000;

  /** The page that needs no token, since whoever balances load has none. */
  static final String OPEN_TO_ALL = "/health";

  private static final Logger LOG = LoggerFactory.getLogger(WebConnection.class);
  private static final int WORDS_OF_REQUEST = 3;

  private final Map<String, Supplier<WebEndpoint.Page>> pages;
  private final Optional<WebToken> token;
  private final StringBuilder head = new StringBuilder();
  private Future<?> deadline;
  private boolean answered;
  private boolean written;
  private boolean inputEnded;

  WebConnection(Map<String, Supplier<WebEndpoint.Page>> pages, Optional<WebToken> token) {
    this.pages = pages;
    this.token = token;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    deadline = context.executor().schedule(() -> late(context), DEADLINE_MS, TimeUnit.MILLISECONDS);
  }

  private void late(ChannelHandlerContext context) {
    LOG.debug(
        "closing web connection of {}: {} in {} ms",
        context.channel().remoteAddress(),
        answered ? "answer not taken, or not closed" : "no request",
        DEADLINE_MS);
    TlsPort.cut(context.pipeline());
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (deadline != null) {
      deadline.cancel(false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      while (!answered && bytes.isReadable()) {
        head.append((char) (bytes.readByte() & 0xff));
        if (isHeadComplete()) {
          answer(context);
        } else if (head.length() == MAX_HEAD_BYTES) {
          refuse(
              context,
              "431 Request Header Fields Too Large",
              "request line and headers are longer than " + MAX_HEAD_BYTES + " bytes");
        }
      }
    } finally {
      bytes.release();
    }
  }

  /** Whether the last line is empty; a line may end without a carriage return. */
  private boolean isHeadComplete() {
    int length = head.length();
    if (head.charAt(length - 1) != '\n' || length < 2) {
      return false;
    }
    char before = head.charAt(length - 2);
    return before == '\n' || before == '\r' && length > 2 && head.charAt(length - 3) == '\n';
  }

  private void answer(ChannelHandlerContext context) {
    String line = head.substring(0, head.indexOf("\n")).stripTrailing();
    String[] words = line.split(" ");
    if (words.length != WORDS_OF_REQUEST || !words[2].startsWith("HTTP/1.")) {
      refuse(context, "400 Bad Request", "not an HTTP/1 request");
      return;
    }
    if (!words[0].equals("GET")) {
      refuse(context, "405 Method Not Allowed\r\nAllow: GET", "read-only: only GET is answered");
      return;
    }
    int query = words[1].indexOf('?');
    String path = query < 0 ? words[1] : words[1].substring(0, query);
    Supplier<WebEndpoint.Page> page = pages.get(path);
    if (page == null) {
      refuse(context, "404 Not Found", "there are /health, /metrics and /status");
      return;
    }
    if (!path.equals(OPEN_TO_ALL) && token.isPresent() && !token.get().isIn(head)) {
      refuse(
          context,
          "401 Unauthorized\r\n" + WebToken.CHALLENGE,
          "this page needs 'Authorization: Bearer TOKEN' with the token of "
              + WebSettings.TOKEN_FILE_LABEL);
      return;
    }
    WebEndpoint.Page found;
    try {
      found = page.get();
    } catch (RuntimeException e) {
      LOG.error("web page failed: request='{}'", line, e);
      refuse(context, "500 Internal Server Error", "page failed, see the log: " + e);
      return;
    }
    write(context, "200 OK", found.type(), found.body());
  }

  private void refuse(ChannelHandlerContext context, String status, String why) {
    write(context, status, "text/plain", why + "\n");
  }

  private void write(ChannelHandlerContext context, String status, String type, String body) {
    answered = true;
    head.setLength(0);
    head.trimToSize();
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String start =
        "HTTP/1.1 "
            + status
            + "\r\nContent-Type: "
            + type
            + "; charset=utf-8\r\nContent-Length: "
            + content.length
            + "\r\nConnection: close\r\n\r\n";
    context
        .writeAndFlush(Unpooled.wrappedBuffer(start.getBytes(StandardCharsets.US_ASCII), content))
        .addListener(done -> written(context, done.isSuccess()));
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

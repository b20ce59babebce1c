package dev.sailfish.ground.server.tls;

import dev.sailfish.ground.server.guard.ErrorGuard;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * Gives TLS answers piece by piece. TLS encrypts at once whatever it is given, and cannot be given
 * files; so what is encrypted and not sent yet is limited to {@link #WINDOW_BYTES}, whatever the
 * peer asks for. What waits here counts as pending in the channel, so that reading stops for a peer
 * that does not take its answers, as without TLS.
 */
final class TlsWriter extends ChannelDuplexHandler {
  /** What is read from a file, and encrypted, at a time. */
  static final int PIECE_BYTES = 64 << 10;

  /** What may be encrypted and not sent, give or take a piece. */
  static final int WINDOW_BYTES = 256 << 10;

  /** After so many rounds other connections have their turn. */
  private static final int ROUNDS = 16;

  private PendingWriteQueue waiting;
  // How much of the first file that waits was written.
  private long fileDone;
  private int inFlight;
  private boolean pumping;

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    waiting = new PendingWriteQueue(context);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    waiting.add(message, promise);
  }

  @Override
  public void flush(ChannelHandlerContext context) {
    // Nothing is flushed that was not written: TLS would make an empty record of it each time.
    pump(context);
  }

  private void pump(ChannelHandlerContext context) {
    if (pumping) {
      return;
    }
    pumping = true;
    try {
      for (int round = 0; round < ROUNDS && mayWrite(); round++) {
        while (mayWrite()) {
          writePiece(context);
        }
        context.flush();
      }
    } catch (IOException e) {
      // The peer cannot be told in the middle of an answer; its giver closes the connection.
      waiting.removeAndFailAll(e);
    } finally {
      pumping = false;
    }
    if (mayWrite()) {
      context.executor().execute(ErrorGuard.guarded(() -> pump(context)));
    }
  }

  private boolean mayWrite() {
    return inFlight < WINDOW_BYTES && !waiting.isEmpty();
  }

  private void writePiece(ChannelHandlerContext context) throws IOException {
    ByteBuf piece;
    boolean last;
    if (waiting.current() instanceof LentFileRegion file) {
      int count = (int) Math.min(PIECE_BYTES, file.count() - fileDone);
      piece = file.read(context.alloc(), fileDone, count);
      fileDone += count;
      last = fileDone == file.count();
    } else {
      ByteBuf bytes = (ByteBuf) waiting.current();
      piece = bytes.readRetainedSlice(Math.min(PIECE_BYTES, bytes.readableBytes()));
      last = !bytes.isReadable();
    }
    int length = piece.readableBytes();
    inFlight += length;
    ChannelPromise promise = context.newPromise();
    if (last) {
      fileDone = 0;
      promise = waiting.remove();
    }
    promise.addListener(
        written -> {
          inFlight -= length;
          pump(context);
        });
    context.write(piece, promise);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    waiting.removeAndFailAll(new ClosedChannelException());
    context.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    waiting.removeAndFailAll(new ClosedChannelException());
  }
}

package dev.sailfish.simulator;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** A server's handler, with somebody who watches what it answers. */
public final class WitnessedHandler implements RequestHandler {
  /** Watches the answers. */
  public interface Witness {
    /**
     * A good answer is given.
     *
     * @param payload the first bytes of the request's payload, as many as were asked for
     */
    void answered(Request request, byte[] payload);

    /** A bad answer is given. */
    void refused(Operation<?, ?> operation, Status status, String message);
  }

  private final RequestHandler handler;
  private final int watchedBytes;
  private final Witness witness;

  /**
   * @param watchedBytes how many bytes of payloads the witness wants to see
   */
  public WitnessedHandler(RequestHandler handler, int watchedBytes, Witness witness) {
    this.handler = handler;
    this.watchedBytes = watchedBytes;
    this.witness = witness;
  }

  @Override
  public PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
    try {
      PayloadSink sink = handler.payloadSink(request, payloadLength);
      return sink == null ? null : new WatchedSink(sink, watchedBytes);
    } catch (RequestRefusedException e) {
      witness.refused(request.operation(), e.status(), e.getMessage());
      throw e;
    }
  }

  @Override
  public void handle(Request request) throws IOException {
    try {
      handler.handle(new Witnessed(request, witness));
    } catch (RequestRefusedException e) {
      witness.refused(request.operation(), e.status(), e.getMessage());
      throw e;
    } catch (IOException | RuntimeException e) {
      witness.refused(request.operation(), Status.INTERNAL, e.toString());
      throw e;
    }
  }

  /** Passes all on, and keeps the beginning. */
  private static final class WatchedSink implements PayloadSink {
    private final PayloadSink sink;
    private final ByteBuffer first;

    WatchedSink(PayloadSink sink, int watchedBytes) {
      this.sink = sink;
      this.first = ByteBuffer.allocate(watchedBytes);
    }

    @Override
    public void write(ByteBuffer piece) throws IOException {
      int count = Math.min(first.remaining(), piece.remaining());
      first.put(first.position(), piece, piece.position(), count);
      first.position(first.position() + count);
      sink.write(piece);
    }

    @Override
    public void abort() {
      sink.abort();
    }
  }

  /** Passes all on, and tells the witness of answers. */
  private record Witnessed(Request request, Witness witness) implements Request {
    private void answered() {
      byte[] payload =
          request.sink() instanceof WatchedSink sink
              ? Arrays.copyOf(sink.first.array(), sink.first.position())
              : new byte[0];
      witness.answered(request, payload);
    }

    @Override
    public Operation<?, ?> operation() {
      return request.operation();
    }

    @Override
    public <T extends MessageLite> T header(Parser<T> parser) throws RequestRefusedException {
      return request.header(parser);
    }

    @Override
    public ByteBuffer headerBytes() {
      return request.headerBytes();
    }

    @Override
    public byte[] payload() {
      return request.payload();
    }

    @Override
    public PayloadSink sink() {
      return request.sink() instanceof WatchedSink watched ? watched.sink : request.sink();
    }

    @Override
    public SocketAddress peer() {
      return request.peer();
    }

    @Override
    public String caller() {
      return request.caller();
    }

    @Override
    public Principal principal() {
      return request.principal();
    }

    @Override
    public byte[] session() {
      return request.session();
    }

    @Override
    public boolean connected() {
      return request.connected();
    }

    @Override
    public void reply(MessageLite header, Runnable released, ByteBuffer... payload) {
      answered();
      request.reply(header, released, payload);
    }

    @Override
    public void replyFile(
        MessageLite header, FileChannel file, long offset, long length, Runnable released) {
      answered();
      request.replyFile(header, file, offset, length, released);
    }

    @Override
    public void fail(Status status, String message) {
      witness.refused(request.operation(), status, message);
      request.fail(status, message);
    }
  }
}

package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.message.EchoResponse;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serves the tests: each operation shows one thing that a handler can do. STREAM streams into a
 * sink and answers with what it got; COLLECT collects and answers with it; FILE answers with a
 * file; WAIT waits until somebody answers; REFUSE refuses; FAIL throws; LIST gives a very long
 * header; ANSWER_TWICE does so; DESCRIBE answers with the header.
 */
final class EchoHandler implements RequestHandler {
  final ConcurrentLinkedQueue<Request> waiting = new ConcurrentLinkedQueue<>();
  final ConcurrentLinkedQueue<Throwable> secondAnswers = new ConcurrentLinkedQueue<>();
  final AtomicInteger handled = new AtomicInteger();
  final AtomicInteger pieces = new AtomicInteger();
  final AtomicInteger aborted = new AtomicInteger();
  final AtomicInteger released = new AtomicInteger();
  final AtomicLong refuseAfter = new AtomicLong(Long.MAX_VALUE);
  volatile EchoResponse longAnswer = EchoResponse.getDefaultInstance();
  volatile FileChannel file;
  volatile long fileLength;

  /** Memory that an append goes to. */
  private final class Memory implements PayloadSink {
    private final ByteBuffer bytes;

    Memory(int length) {
      bytes = ByteBuffer.allocateDirect(length);
    }

    @Override
    public void write(ByteBuffer piece) throws IOException {
      pieces.incrementAndGet();
      bytes.put(piece);
      if (bytes.position() > refuseAfter.get()) {
        throw new RequestRefusedException(Status.CORRUPT, "seen enough at " + bytes.position());
      }
    }

    @Override
    public void abort() {
      aborted.incrementAndGet();
    }
  }

  @Override
  public PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
    if (request.operation() == EchoService.STREAM && refuseAfter.get() < 0) {
      throw new RequestRefusedException(Status.CHUNK_FULL, "full: length=" + payloadLength);
    }
    return request.operation() == EchoService.STREAM ? new Memory(payloadLength) : null;
  }

  @Override
  public void handle(Request request) throws IOException {
    handled.incrementAndGet();
    switch (request.operation().name()) {
      case "STREAM" -> {
        Memory memory = (Memory) request.sink();
        request.reply(
            EmptyResponse.getDefaultInstance(), released::incrementAndGet, memory.bytes.flip());
      }
      case "COLLECT" ->
          request.reply(EmptyResponse.getDefaultInstance(), ByteBuffer.wrap(request.payload()));
      case "FILE" ->
          request.replyFile(
              EmptyResponse.getDefaultInstance(), file, 0, fileLength, released::incrementAndGet);
      case "WAIT" -> {
        request.header(EchoRequest.parser());
        waiting.add(request);
      }
      case "REFUSE" ->
          throw new RequestRefusedException(
              Status.JOB_UNKNOWN, "job=" + request.header(EchoRequest.parser()).getJob());
      case "FAIL" -> throw new IllegalStateException("a defect of the handler");
      case "LIST" -> request.reply(longAnswer);
      case "ANSWER_TWICE" -> answerTwice(request);
      case "DESCRIBE" ->
          request.reply(EmptyResponse.getDefaultInstance(), ByteBuffer.wrap(headerOf(request)));
      default -> request.reply(EmptyResponse.getDefaultInstance());
    }
  }

  private static byte[] headerOf(Request request) {
    ByteBuffer header = request.headerBytes();
    byte[] bytes = new byte[header.remaining()];
    header.get(bytes);
    return bytes;
  }

  private void answerTwice(Request request) {
    request.reply(EmptyResponse.getDefaultInstance());
    try {
      request.fail(Status.INTERNAL, "too late");
    } catch (IllegalStateException e) {
      secondAnswers.add(e);
    }
  }
}

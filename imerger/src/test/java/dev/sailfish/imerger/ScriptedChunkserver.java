package dev.sailfish.imerger;

import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ReadResponse;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Serves sorted chunks out of arrays. */
final class ScriptedChunkserver extends ScriptedServer {
  private final Map<Long, byte[]> chunks = new ConcurrentHashMap<>();
  private final AtomicInteger awaits = new AtomicInteger();
  private final AtomicInteger reads = new AtomicInteger();
  private volatile Fault fault = (operation, chunk, count, payload) -> payload;

  /** Meddles with a reply: gives other bytes, throws, or waits. */
  interface Fault {
    byte[] meddle(Operation<?, ?> operation, long chunk, int count, byte[] payload)
        throws Refusal, Cut, InterruptedException;
  }

  ScriptedChunkserver() throws IOException {
    this(FreePort.next());
  }

  ScriptedChunkserver(int port) throws IOException {
    super(port);
  }

  /** One that was closed, on the same port and with the same chunks. */
  ScriptedChunkserver restarted() throws IOException {
    ScriptedChunkserver next = new ScriptedChunkserver(address().getPort());
    next.chunks.putAll(chunks);
    return next;
  }

  void put(long chunk, byte[] file) {
    chunks.put(chunk, file);
  }

  void setFault(Fault newFault) {
    fault = newFault;
  }

  int awaits() {
    return awaits.get();
  }

  int reads() {
    return reads.get();
  }

  @Override
  Reply handle(Operation<?, ?> operation, byte[] header, byte[] payload)
      throws IOException, Refusal, Cut, InterruptedException {
    switch (operation.name()) {
      case "AWAIT_SORTED":
        AwaitSortedRequest await = AwaitSortedRequest.parseFrom(header);
        byte[] file = file(await.getChunk());
        int tail = ChunkTail.locate(ByteBuffer.wrap(file), file.length);
        return new Reply(
            AwaitSortedResponse.newBuilder()
                .setStoredBytes(file.length)
                .setTailOffset(tail)
                .build(),
            fault.meddle(
                operation,
                await.getChunk(),
                awaits.incrementAndGet(),
                Arrays.copyOfRange(file, tail, file.length)));
      case "READ":
        ReadRequest read = ReadRequest.parseFrom(header);
        int offset = (int) read.getOffset();
        byte[] bytes = Arrays.copyOfRange(file(read.getChunk()), offset, offset + read.getLength());
        return new Reply(
            ReadResponse.getDefaultInstance(),
            fault.meddle(operation, read.getChunk(), reads.incrementAndGet(), bytes));
      default:
        throw new Refusal(Status.BAD_REQUEST);
    }
  }

  private byte[] file(long chunk) throws Refusal {
    byte[] file = chunks.get(chunk);
    if (file == null) {
      throw new Refusal(Status.CHUNK_UNKNOWN);
    }
    return file;
  }
}

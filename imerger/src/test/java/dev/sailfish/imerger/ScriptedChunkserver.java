package dev.sailfish.imerger;

import dev.sailfish.format.ChunkTail;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.protocol.wire.ReadRangeRequest;
import dev.sailfish.protocol.wire.ReadRangeResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ReadResponse;
import java.io.ByteArrayOutputStream;
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

  ScriptedChunkserver() throws IOException {}

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
      case "READ_RANGE":
        return readRange(ReadRangeRequest.parseFrom(header), payload);
      default:
        throw new Refusal(Status.BAD_REQUEST);
    }
  }

  private Reply readRange(ReadRangeRequest request, byte[] keys)
      throws IOException, Refusal, Cut, InterruptedException {
    byte[] file = file(request.getChunk());
    ChunkTail tail = ChunkTail.read(ByteBuffer.wrap(file), file.length);
    byte[] lower = Arrays.copyOf(keys, request.getLowerLength());
    byte[] upper = Arrays.copyOfRange(keys, lower.length, keys.length);
    ByteArrayOutputStream blocks = new ByteArrayOutputStream();
    int next = 0;
    for (int i = request.getFromEntry(); i < tail.entries(); i++) {
      boolean lastOfRun = i + 1 == tail.entries() || tail.entryRun(i + 1) != tail.entryRun(i);
      boolean in =
          tail.entryRun(i) == request.getRun()
              && (lastOfRun || tail.compareEntryKey(i + 1, lower) >= 0)
              && !(request.getHasUpper() && tail.compareEntryKey(i, upper) > 0);
      if (in && blocks.size() > 0 && blocks.size() + tail.entryLength(i) > request.getMaxBytes()) {
        next = i;
        break;
      }
      if (in) {
        blocks.write(file, (int) tail.entryOffset(i), tail.entryLength(i));
      }
    }
    return new Reply(
        ReadRangeResponse.newBuilder().setNextEntry(next).build(),
        fault.meddle(
            IfileService.READ_RANGE,
            request.getChunk(),
            reads.incrementAndGet(),
            blocks.toByteArray()));
  }

  private byte[] file(long chunk) throws Refusal {
    byte[] file = chunks.get(chunk);
    if (file == null) {
      throw new Refusal(Status.CHUNK_UNKNOWN);
    }
    return file;
  }
}

package dev.sailfish.chunkserver;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.protocol.FrameDescriptor;
import dev.sailfish.protocol.Operation;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.EmptyResponse;
import dev.sailfish.protocol.wire.ListChunksRequest;
import dev.sailfish.protocol.wire.ListChunksResponse;
import dev.sailfish.protocol.wire.ReadRangeRequest;
import dev.sailfish.protocol.wire.ReadRangeResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ReadResponse;
import dev.sailfish.transport.Counters;
import dev.sailfish.transport.PayloadSink;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.Request;
import dev.sailfish.transport.RequestHandler;
import dev.sailfish.transport.RequestRefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What a chunkserver does with each request. Nothing here waits: see {@link RequestHandler}. */
final class ChunkserverHandler implements RequestHandler {
  /** Most chunks in one answer: some megabytes. */
  private static final int MAX_LISTED = 50_000;

  private static final long MAX_AWAIT_MS = TimeUnit.MINUTES.toMillis(10);

  /** How long a reader stays away that is one too many: its chunk keeps its place meanwhile. */
  private static final int ASK_AGAIN_MS = 1_000;

  /** What a job may ask for when it names itself; all else is for the cluster. */
  private static final Set<Operation> OF_JOBS =
      EnumSet.of(
          Operation.APPEND,
          Operation.AWAIT_SORTED,
          Operation.READ,
          Operation.READ_RANGE,
          Operation.LIST_CHUNKS);

  private final ChunkTable chunks;
  private final Counters<ChunkserverCounter> counters;
  private final ScheduledExecutorService timer;
  private final int maxWaiting;
  private final ServerStatus status;
  private final AtomicInteger waiting = new AtomicInteger();

  /** Writes the answer to SERVER_STATUS. */
  interface ServerStatus {
    /** Answers at once. */
    void reply(Request request);
  }

  /**
   * @param timer ends the waits whose deadline passes
   * @param maxWaiting how many AWAIT_SORTED may wait at a time; others are answered at once
   */
  ChunkserverHandler(
      ChunkTable chunks,
      Counters<ChunkserverCounter> counters,
      ScheduledExecutorService timer,
      int maxWaiting,
      ServerStatus status) {
    this.chunks = chunks;
    this.counters = counters;
    this.timer = timer;
    this.maxWaiting = maxWaiting;
    this.status = status;
  }

  /** How many AWAIT_SORTED wait now. */
  int waiting() {
    return waiting.get();
  }

  @Override
  public PayloadSink payloadSink(
      Principal caller, Operation operation, ByteBuffer header, int payloadLength)
      throws IOException {
    if (operation != Operation.APPEND) {
      return null;
    }
    try {
      AppendRequest append = appendRequest(header);
      caller.requireJob(append.getJob());
      requireKey(caller, append);
      return new AppendSink(chunks.forAppend(append), payloadLength, counters);
    } catch (RequestRefusedException e) {
      counters.increment(ChunkserverCounter.REFUSED_APPENDS);
      throw e;
    }
  }

  private static void requireKey(Principal caller, AppendRequest append)
      throws RequestRefusedException {
    if (append.getEncrypted() && caller == Principal.EVERYBODY) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "block is encrypted, and this server authenticates nobody, so that it has no key to sort it"
              + " with: job="
              + append.getJob());
    }
  }

  private static AppendRequest appendRequest(ByteBuffer header) throws RequestRefusedException {
    try {
      return AppendRequest.parser().parseFrom(header);
    } catch (InvalidProtocolBufferException e) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "header cannot be decoded: operation=APPEND bytes="
              + header.remaining()
              + ": "
              + e.getMessage());
    }
  }

  @Override
  public void handle(Request request) throws IOException {
    if (!OF_JOBS.contains(request.operation())) {
      request.principal().requireCluster(request.operation());
    }
    switch (request.operation()) {
      case APPEND -> append(request);
      case AWAIT_SORTED -> awaitSorted(request);
      case READ -> read(request);
      case READ_RANGE -> readRange(request);
      case LIST_CHUNKS -> listChunks(request);
      case SERVER_STATUS -> status.reply(request);
      default ->
          throw new RequestRefusedException(
              Status.BAD_REQUEST,
              "operation=" + request.operation() + " is not for a chunkserver; wrong port?");
    }
  }

  private void append(Request request) throws RequestRefusedException {
    if (!(request.sink() instanceof AppendSink sink)) {
      throw new RequestRefusedException(Status.BAD_REQUEST, "append without a block");
    }
    try {
      sink.finish();
    } catch (RequestRefusedException e) {
      counters.increment(ChunkserverCounter.REFUSED_APPENDS);
      throw e;
    }
    request.reply(EmptyResponse.getDefaultInstance());
  }

  private void awaitSorted(Request request) throws RequestRefusedException {
    AwaitSortedRequest await = request.header(AwaitSortedRequest.parser());
    request.principal().requireJob(await.getJob());
    Chunk chunk = chunks.forReader(await.getJob(), await.getChunk());
    boolean tooMany = waiting.incrementAndGet() > maxWaiting;
    if (tooMany && !await.getPlace()) {
      waiting.decrementAndGet();
      throw new RequestRefusedException(
          Status.BUSY, "too many readers wait for chunks: limit=" + maxWaiting);
    }
    AwaitReply reply =
        new AwaitReply(
            request,
            await.getPlace(),
            tooMany ? ASK_AGAIN_MS : 0,
            () -> chunks.placeOf(chunk),
            waiting::decrementAndGet);
    boolean waits = false;
    try {
      chunk.await(reply);
      waits = true;
    } finally {
      if (!waits && !reply.isDone()) {
        waiting.decrementAndGet();
      }
    }
    if (tooMany) {
      chunk.expire(reply);
    } else if (!reply.isDone()) {
      long deadlineMs = Math.min(Integer.toUnsignedLong(await.getDeadlineMs()), MAX_AWAIT_MS);
      timer.schedule(() -> chunk.expire(reply), deadlineMs, TimeUnit.MILLISECONDS);
    }
  }

  private void read(Request request) throws RequestRefusedException {
    ReadRequest read = request.header(ReadRequest.parser());
    request.principal().requireJob(read.getJob());
    Chunk source = chunks.forReader(read.getJob(), read.getChunk());
    SortedChunk chunk = source.read();
    long length = Integer.toUnsignedLong(read.getLength());
    if (read.getOffset() < 0
        || length > FrameDescriptor.MAX_PAYLOAD_LENGTH
        || read.getOffset() > chunk.length() - length) {
      chunk.segment().release();
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "read is out of bounds: job="
              + read.getJob()
              + " chunk="
              + Long.toHexString(read.getChunk())
              + " offset="
              + read.getOffset()
              + " length="
              + length
              + " chunk length="
              + chunk.length());
    }
    countRead(source, read.getOffset(), length);
    chunk.send(request, ReadResponse.getDefaultInstance(), read.getOffset(), length);
  }

  private void readRange(Request request) throws RequestRefusedException {
    ReadRangeRequest read = request.header(ReadRangeRequest.parser());
    request.principal().requireJob(read.getJob());
    Chunk chunk = chunks.forReader(read.getJob(), read.getChunk());
    if (chunk.spec().ordering() != Ordering.NORMALIZED || chunk.spec().encrypted()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          chunk.spec().label()
              + " cannot be read by key: ordering="
              + chunk.spec().ordering()
              + " encrypted="
              + chunk.spec().encrypted());
    }
    SortedChunk bytes = chunk.read();
    KeyRange range;
    boolean found = false;
    try {
      range = KeyRange.find(tail(chunk, bytes), read, request.payload());
      found = true;
    } finally {
      if (!found) {
        bytes.segment().release();
      }
    }
    countRead(chunk, range.offset(), range.length());
    ReadRangeResponse header =
        ReadRangeResponse.newBuilder().setNextEntry(range.nextEntry()).build();
    bytes.send(request, header, range.offset(), range.length());
  }

  private void countRead(Chunk chunk, long offset, long length) {
    counters.increment(ChunkserverCounter.READS);
    counters.add(ChunkserverCounter.READ_BYTES, length);
    if (chunk.seeksTo(offset, length)) {
      counters.increment(ChunkserverCounter.SEEKS);
    }
  }

  /** Parsed for each request: what is asked by key is asked by people and tools. */
  private ChunkTail tail(Chunk chunk, SortedChunk bytes) throws RequestRefusedException {
    int length = (int) (bytes.length() - bytes.tailOffset());
    ByteBuffer tail = bytes.segment().buffer().slice((int) bytes.tailOffset(), length);
    try {
      return ChunkTail.parse(tail, length);
    } catch (FormatException e) {
      counters.increment(ChunkserverCounter.LOSSES);
      chunk.lose("its tail is damaged: " + e.getMessage());
      throw new RequestRefusedException(
          Status.CHUNK_LOST, chunk.spec().label() + " is lost: " + e.getMessage());
    }
  }

  private void listChunks(Request request) throws RequestRefusedException {
    ListChunksRequest list = request.header(ListChunksRequest.parser());
    request.principal().requireJob(list.getJob());
    ListChunksResponse.Builder response = ListChunksResponse.newBuilder();
    int limit = Integer.toUnsignedLong(list.getLimit()) > MAX_LISTED ? 0 : list.getLimit();
    limit = limit == 0 ? MAX_LISTED : limit;
    for (Chunk chunk : chunks.list(list.getJob())) {
      boolean wanted = list.getAfterChunk() == 0 || chunk.spec().id() > list.getAfterChunk();
      if (wanted && response.getChunksCount() == limit) {
        response.setMore(true);
        break;
      }
      if (wanted) {
        response.addChunks(chunk.report());
      }
    }
    request.reply(response.build());
  }
}

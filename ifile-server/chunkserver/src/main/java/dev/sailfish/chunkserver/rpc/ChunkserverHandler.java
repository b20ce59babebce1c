package dev.sailfish.chunkserver.rpc;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.ChunkWaiter;
import dev.sailfish.chunkserver.chunk.SortPlace;
import dev.sailfish.chunkserver.chunk.SortedFile;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.protocol.wire.ListChunksRequest;
import dev.sailfish.protocol.wire.ListChunksResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ReadResponse;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.SummarizeIndexRequest;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** What a chunkserver does with each request. Nothing here waits: see {@link RequestHandler}. */
public final class ChunkserverHandler implements RequestHandler {
  /** Most chunks in one answer: some megabytes. */
  private static final int MAX_LISTED = 50_000;

  private static final long MAX_AWAIT_MS = TimeUnit.MINUTES.toMillis(10);

  /**
   * The longest header, in bytes, of a request that names a chunk or none. It has a job's name and
   * some numbers; as objects, what nobody knows in it takes many times its length.
   */
  private static final int MAX_HEADER_BYTES = 512;

  /** The longest header of a request that names many chunks, in bytes: a hundred thousand. */
  private static final int MAX_LIST_BYTES = 1 << 20;

  /** How long a reader stays away that is one too many: its chunk keeps its place meanwhile. */
  private static final int ASK_AGAIN_MS = 1_000;

  private final ChunkTable chunks;
  private final Metrics<ChunkserverMetric> metrics;
  private final ScheduledExecutorService timer;
  private final int maxWaiting;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Set<AwaitReply> replies = ConcurrentHashMap.newKeySet();
  private final Routes routes = new Routes("a chunkserver");

  /**
   * @param timer ends the waits whose deadline passes
   * @param maxWaiting how many AWAIT_SORTED may wait at a time; others are answered at once
   * @param status answers SERVER_STATUS at once
   */
  public ChunkserverHandler(
      ChunkTable chunks,
      Metrics<ChunkserverMetric> metrics,
      ScheduledExecutorService timer,
      int maxWaiting,
      Consumer<Request> status) {
    this.chunks = chunks;
    this.metrics = metrics;
    this.timer = timer;
    this.maxWaiting = maxWaiting;
    routes
        .ofJob(
            IfileService.APPEND,
            AppendRequest.parser(),
            AppendRequest::getJob,
            this::openAppend,
            ChunkserverHandler::endAppend)
        .ofJob(
            IfileService.AWAIT_SORTED,
            AwaitSortedRequest.parser(),
            AwaitSortedRequest::getJob,
            this::awaitSorted)
        .ofJob(IfileService.READ, ReadRequest.parser(), ReadRequest::getJob, this::read)
        .ofJob(
            IfileService.SUMMARIZE_INDEX,
            SummarizeIndexRequest.parser(),
            SummarizeIndexRequest::getJob,
            new IndexSummaries(chunks, metrics)::reply)
        .ofJob(
            IfileService.LIST_CHUNKS,
            ListChunksRequest.parser(),
            ListChunksRequest::getJob,
            this::listChunks)
        .on(
            IfileService.SERVER_STATUS,
            ServerStatusRequest.parser(),
            (request, asked) -> status.accept(request));
  }

  /** How many AWAIT_SORTED wait now. */
  public int waiting() {
    return waiting.get();
  }

  /**
   * Ends the waits of readers that have closed their connections, before their deadlines. Called by
   * the timer.
   */
  public void forgetGone() {
    for (AwaitReply reply : replies) {
      if (!reply.request.asksOn()) {
        reply.chunk.expire(reply);
      }
    }
  }

  /** Before the header is decoded, or kept for as long as the request waits. */
  private static void requireShort(Request request) throws RequestRefusedException {
    boolean isList = request.operation() == IfileService.SUMMARIZE_INDEX;
    int most = isList ? MAX_LIST_BYTES : MAX_HEADER_BYTES;
    int bytes = request.headerBytes().remaining();
    if (bytes > most) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "header is too long: operation=%s bytes=%s limit=%s"
              .formatted(request.operation(), bytes, most));
    }
  }

  @Override
  public PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
    try {
      requireShort(request);
      if (request.operation() != IfileService.APPEND) {
        throw new RequestRefusedException(
            Status.BAD_REQUEST,
            "there is no payload of %s: bytes=%s".formatted(request.operation(), payloadLength));
      }
      return routes.payloadSink(request, payloadLength);
    } catch (RequestRefusedException e) {
      throw counted(request, e);
    }
  }

  @Override
  public void handle(Request request) throws IOException {
    try {
      if (request.operation() != IfileService.APPEND) {
        requireShort(request);
      }
      routes.handle(request);
    } catch (RequestRefusedException e) {
      throw counted(request, e);
    }
  }

  private RequestRefusedException counted(Request request, RequestRefusedException refusal) {
    if (request.operation() == IfileService.APPEND) {
      metrics.increment(ChunkserverMetric.REFUSED_APPENDS);
    }
    return refusal;
  }

  private PayloadSink openAppend(Request request, AppendRequest append, int payloadLength)
      throws RequestRefusedException {
    if (append.getEncrypted() && request.principal() == Principal.EVERYBODY) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "block is encrypted, and this server authenticates nobody, so that it has no key to sort"
              + " it with: job="
              + append.getJob());
    }
    return new AppendSink(chunks, append, payloadLength, metrics);
  }

  private static void endAppend(Request request) throws RequestRefusedException {
    if (!(request.sink() instanceof AppendSink sink)) {
      throw new RequestRefusedException(Status.BAD_REQUEST, "append without a block");
    }
    sink.finish();
    request.reply(EmptyResponse.getDefaultInstance());
  }

  private void awaitSorted(Request request, AwaitSortedRequest await)
      throws RequestRefusedException {
    Chunk chunk = chunks.forReader(await.getJob(), await.getChunk());
    boolean tooMany = waiting.incrementAndGet() > maxWaiting;
    if (tooMany && !await.getPlace()) {
      waiting.decrementAndGet();
      throw new RequestRefusedException(
          Status.BUSY, "too many readers wait for chunks: limit=" + maxWaiting);
    }
    AwaitReply reply = new AwaitReply(request, await, chunk, tooMany);
    replies.add(reply);
    boolean waits = false;
    try {
      chunk.await(reply);
      waits = true;
    } finally {
      if (!waits && !reply.done) {
        reply.end();
      }
    }
    if (tooMany) {
      chunk.expire(reply);
    } else if (!reply.done) {
      long deadlineMs = Math.min(Integer.toUnsignedLong(await.getDeadlineMs()), MAX_AWAIT_MS);
      reply.endsBy(timer.schedule(() -> chunk.expire(reply), deadlineMs, TimeUnit.MILLISECONDS));
    }
  }

  /**
   * A reader that waits for a chunk to be sorted; gets the chunk's tail, or how far the sort is, or
   * the reason why there will be none.
   */
  private final class AwaitReply implements ChunkWaiter {
    private final Request request;
    private final AwaitSortedRequest await;
    private final Chunk chunk;
    private final boolean tooMany;
    private volatile boolean done;
    private volatile Future<?> deadline;

    /**
     * @param await what the reader asks for, and which answers it takes
     * @param chunk that it waits for
     * @param tooMany whether it is to stay away for a while
     */
    AwaitReply(Request request, AwaitSortedRequest await, Chunk chunk, boolean tooMany) {
      this.request = request;
      this.await = await;
      this.chunk = chunk;
      this.tooMany = tooMany;
    }

    /** What will end the wait; not needed any more when there is an answer before. */
    void endsBy(Future<?> timed) {
      deadline = timed;
      if (done) {
        timed.cancel(false);
      }
    }

    private void end() {
      done = true;
      waiting.decrementAndGet();
      replies.remove(this);
      Future<?> timed = deadline;
      if (timed != null) {
        timed.cancel(false);
      }
    }

    @Override
    public void sorted(SortedFile file) {
      end();
      AwaitSortedResponse.Builder header =
          AwaitSortedResponse.newBuilder()
              .setStoredBytes(file.length())
              .setTailOffset(file.tailOffset());
      if (await.getShares() && file.first() != await.getChunk()) {
        file.segment().release();
        request.reply(header.setStoredIn(file.first()).build());
        return;
      }
      long length = file.length() - file.tailOffset();
      file.send(request, header.build(), file.tailOffset(), length);
    }

    @Override
    public void notSorted(String detail, boolean putOff, SortPlace place) {
      if (!await.getPlace()) {
        refused(Status.DEADLINE, detail);
        return;
      }
      end();
      AwaitSortedResponse.Builder header =
          AwaitSortedResponse.newBuilder()
              .setNotSorted(true)
              .setPutOff(putOff)
              .setDetail(detail)
              .setAskAgainMs(tooMany ? ASK_AGAIN_MS : 0);
      if (place != null) {
        header
            .setChunksAhead(place.chunksAhead())
            .setBytesAhead(place.bytesAhead())
            .setChunkBytes(place.chunkBytes())
            .setSortedBytes(place.sortedBytes());
      }
      request.reply(header.build());
    }

    @Override
    public void refused(Status status, String message) {
      end();
      request.fail(status, message);
    }
  }

  private void read(Request request, ReadRequest read) throws RequestRefusedException {
    Chunk source = chunks.forReader(read.getJob(), read.getChunk());
    SortedFile chunk = source.read();
    long length = Integer.toUnsignedLong(read.getLength());
    if (read.getOffset() < 0
        || length > FrameDescriptor.MAX_PAYLOAD_LENGTH
        || read.getOffset() > chunk.length() - length) {
      chunk.segment().release();
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "read is out of bounds: job=%s chunk=%x offset=%s length=%s chunk length=%s"
              .formatted(read.getJob(), read.getChunk(), read.getOffset(), length, chunk.length()));
    }
    metrics.increment(ChunkserverMetric.READS);
    metrics.add(ChunkserverMetric.READ_BYTES, length);
    if (source.seeksTo(read.getOffset(), length)) {
      metrics.increment(ChunkserverMetric.SEEKS);
    }
    chunk.send(request, ReadResponse.getDefaultInstance(), read.getOffset(), length);
  }

  private void listChunks(Request request, ListChunksRequest list) throws RequestRefusedException {
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

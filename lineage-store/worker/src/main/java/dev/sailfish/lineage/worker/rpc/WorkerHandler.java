package dev.sailfish.lineage.worker.rpc;

import com.google.protobuf.MessageLite;
import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.memory.HugePages;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.BlockToken.Access;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.AbandonBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockResponse;
import dev.sailfish.lineage.protocol.wire.ClaimRoomRequest;
import dev.sailfish.lineage.protocol.wire.ReadBlockRequest;
import dev.sailfish.lineage.protocol.wire.ReadBlockResponse;
import dev.sailfish.lineage.protocol.wire.SealBlockRequest;
import dev.sailfish.lineage.protocol.wire.SealBlockResponse;
import dev.sailfish.lineage.protocol.wire.ShareBlockRequest;
import dev.sailfish.lineage.protocol.wire.ShareBlockResponse;
import dev.sailfish.lineage.protocol.wire.SuspectBlockRequest;
import dev.sailfish.lineage.protocol.wire.SuspectBlockResponse;
import dev.sailfish.lineage.protocol.wire.WriteBlockRequest;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.Evictor;
import dev.sailfish.lineage.worker.under.UnderWork;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a worker does with each request. Nothing here waits: see {@link RequestHandler}. */
public final class WorkerHandler implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerHandler.class);

  /** The longest block, in bytes. */
  private static final long LONGEST_BLOCK = 1L << 30;

  /** The most bytes that one answer has. */
  private static final int LONGEST_READ = 4 << 20;

  private final BlockTable blocks;
  private final Evictor evictor;
  private final Metrics<LineageWorkerMetric> metrics;
  private final IntUnaryOperator place;
  private final Executor slow;
  private final UnderWork under;
  private final Map<Path, Boolean> hugePages = new ConcurrentHashMap<>();
  private final Routes routes = new Routes("a lineage-worker");

  /**
   * @param place makes a place of this worker out of a tier
   * @param slow does what takes longer than a connection may wait; see {@link BoundedPool}
   * @param under does what is asked for below
   * @param guard says who may
   */
  public WorkerHandler(
      BlockTable blocks,
      Evictor evictor,
      Metrics<LineageWorkerMetric> metrics,
      IntUnaryOperator place,
      Executor slow,
      UnderWork under,
      BlockGuard guard) {
    this.blocks = blocks;
    this.evictor = evictor;
    this.metrics = metrics;
    this.place = place;
    this.slow = slow;
    this.under = under;
    routes
        .on(
            WorkerService.BEGIN,
            BeginBlockRequest.parser(),
            guard.fresh(Access.WRITE, BeginBlockRequest::getName, this::begin))
        .on(
            WorkerService.CLAIM,
            ClaimRoomRequest.parser(),
            guard.begun(Access.WRITE, ClaimRoomRequest::getName, this::claim))
        .on(
            WorkerService.WRITE,
            WriteBlockRequest.parser(),
            guard.begunSink(Access.WRITE, WriteBlockRequest::getName, this::sink),
            this::written)
        .on(
            WorkerService.SEAL,
            SealBlockRequest.parser(),
            guard.begun(Access.WRITE, SealBlockRequest::getName, this::seal))
        .on(
            WorkerService.ABANDON,
            AbandonBlockRequest.parser(),
            guard.begun(Access.WRITE, AbandonBlockRequest::getName, this::abandon))
        .on(
            WorkerService.SHARE,
            ShareBlockRequest.parser(),
            guard.fresh(Access.READ, ShareBlockRequest::getName, this::share))
        .on(
            WorkerService.READ,
            ReadBlockRequest.parser(),
            guard.fresh(Access.READ, ReadBlockRequest::getName, this::read))
        .on(
            WorkerService.SUSPECT,
            SuspectBlockRequest.parser(),
            guard.fresh(Access.READ, SuspectBlockRequest::getName, this::suspect));
    new UnderHandler(under, place).addTo(routes, guard);
  }

  @Override
  public PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
    return routes.payloadSink(request, payloadLength);
  }

  @Override
  public void handle(Request request) throws IOException {
    routes.handle(request);
  }

  // ---- writing

  private void begin(Request request, BeginBlockRequest asked) throws IOException {
    BlockId id = BlockId.of(asked.getName());
    long capacity = asked.getCapacity();
    long room = asked.getRoom();
    boolean fits = capacity >= 1 && capacity <= LONGEST_BLOCK && room >= 0 && room <= capacity;
    if (!fits || id.block() < 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "%s has a number from 0, from 1 to %d bytes, and room for no more: capacity=%d room=%d"
              .formatted(id, LONGEST_BLOCK, capacity, room));
    }
    long attempt = asked.getName().getAttempt();
    if (attempt == 0) {
      begin(request, id, asked);
      return;
    }
    under
        .rewrites()
        .permit(id, attempt, place.applyAsInt(0))
        .whenComplete(
            (nothing, failure) -> {
              if (failure == null) {
                blocks.delete(id);
                begin(request, id, asked);
              } else {
                answer(request, failure);
              }
            });
  }

  private void begin(Request request, BlockId id, BeginBlockRequest asked) {
    AtomicReference<Path> file = new AtomicReference<>();
    evictor.whenRoom(
        () -> {
          requireCaller(request);
          file.set(blocks.begin(id, asked.getCapacity(), asked.getRoom(), asked.getLocal()));
        },
        failure -> {
          if (failure == null && !request.asksOn()) {
            blocks.abandon(id); // it left at this moment
          }
          BeginBlockResponse.Builder response = BeginBlockResponse.newBuilder();
          if (file.get() != null) {
            response.setPath(file.get().toString());
          }
          answer(request, failure, response.build());
        });
  }

  private void claim(Request request, ClaimRoomRequest asked) {
    BlockId id = BlockId.of(asked.getName());
    evictor.whenRoom(
        () -> {
          requireCaller(request);
          if (!blocks.claim(id, asked.getRoom())) {
            throw new NoSpaceException("no room in its tier for " + id);
          }
        },
        failure -> answer(request, failure, EmptyResponse.getDefaultInstance()));
  }

  /** One that has waited for too long has gone elsewhere, and nobody would give its room back. */
  private static void requireCaller(Request request) throws RequestRefusedException {
    if (!request.asksOn()) {
      throw new RequestRefusedException(Status.NOT_HELD, "its writer is not there any more");
    }
  }

  private static void answer(Request request, IOException failure, MessageLite response) {
    if (failure == null) {
      request.reply(response);
    } else {
      answer(request, failure);
    }
  }

  static void answer(Request request, Throwable failure) {
    if (failure instanceof RequestRefusedException refused) {
      request.fail(refused.status(), refused.getMessage());
    } else {
      LOG.warn("operation={} caller={} failed", request.operation(), request.caller(), failure);
      request.fail(Status.INTERNAL, failure.toString());
    }
  }

  private PayloadSink sink(Request request, WriteBlockRequest asked, int length)
      throws IOException {
    int[] checksums = asked.getChecksumsList().stream().mapToInt(sum -> sum).toArray();
    return new WriteSink(
        blocks.requireOpen(BlockId.of(asked.getName())), asked.getOffset(), length, checksums);
  }

  private void written(Request request) throws IOException {
    if (request.sink() instanceof WriteSink sink) {
      sink.finish();
      request.reply(EmptyResponse.getDefaultInstance());
    } else {
      throw new RequestRefusedException(Status.BAD_REQUEST, "no bytes to be written");
    }
  }

  private void seal(Request request, SealBlockRequest asked) throws IOException {
    int tier = blocks.seal(BlockId.of(asked.getName()), asked.getLength()).ordinal();
    metrics.increment(LineageWorkerMetric.BLOCKS_SEALED);
    metrics.add(LineageWorkerMetric.SEALED_BYTES, asked.getLength());
    request.reply(SealBlockResponse.newBuilder().setPlace(place.applyAsInt(tier)).build());
  }

  private void abandon(Request request, AbandonBlockRequest asked) {
    blocks.abandon(BlockId.of(asked.getName()));
    request.reply(EmptyResponse.getDefaultInstance());
  }

  // ---- reading

  private void share(Request request, ShareBlockRequest asked) throws IOException {
    Segment segment = blocks.acquire(BlockId.of(asked.getName()));
    try {
      metrics.increment(LineageWorkerMetric.BLOCKS_SHARED);
      Path path = segment.share();
      boolean isInMemory = segment.tier() == Tier.MEMORY;
      request.reply(
          ShareBlockResponse.newBuilder()
              .setPath(path.toString())
              .setFileLength(segment.length())
              .setInMemory(isInMemory)
              .setHugePages(isInMemory && hasHugePages(path.getParent()))
              .build());
    } finally {
      segment.release();
    }
  }

  /** Looked up once for each directory. */
  private boolean hasHugePages(Path directory) {
    return hugePages.computeIfAbsent(directory, HugePages::backs);
  }

  private void read(Request request, ReadBlockRequest asked) throws IOException {
    BlockId id = BlockId.of(asked.getName());
    Segment segment = blocks.acquire(id);
    boolean answered = false;
    try {
      FileChannel file = segment.channel();
      BlockTail tail = BlockTable.readTail(id, file, segment.length());
      long offset = asked.getOffset();
      if (offset < 0 || offset > tail.length() || offset % BlockTail.UNIT != 0) {
        throw new RequestRefusedException(
            Status.BAD_REQUEST,
            "%s has %d bytes and is read from whole units: offset=%d"
                .formatted(id, tail.length(), offset));
      }
      int wanted = (int) Math.min(LONGEST_READ, Integer.toUnsignedLong(asked.getLength()));
      int length = (int) Math.min(wholeUnits(wanted), tail.length() - offset);
      ReadBlockResponse.Builder response =
          ReadBlockResponse.newBuilder().setBlockLength(tail.length());
      int first = BlockTail.units(offset);
      for (int unit = 0; unit < BlockTail.units(length); unit++) {
        response.addChecksums(tail.checksum(first + unit));
      }
      metrics.add(LineageWorkerMetric.READ_BYTES, length);
      request.replyFile(response.build(), file, offset, length, segment::release);
      answered = true;
    } catch (DamagedBlockException | EOFException e) {
      lookSoon(id);
      throw e;
    } finally {
      if (!answered) {
        segment.release();
      }
    }
  }

  /** Has a block looked at of which the end is not what was written. */
  private void lookSoon(BlockId id) {
    try {
      slow.execute(
          () -> {
            try {
              blocks.isDamaged(id);
            } catch (IOException | RuntimeException e) {
              LOG.warn("{} cannot be looked at: {}", id, e.toString());
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.warn("{} is damaged, and is left to the scrubber: {}", id, e.toString());
    }
  }

  private static int wholeUnits(int length) {
    return BlockTail.units(length) * BlockTail.UNIT;
  }

  private void suspect(Request request, SuspectBlockRequest asked) {
    slow.execute(
        () -> {
          SuspectBlockResponse.Builder response = SuspectBlockResponse.newBuilder();
          try {
            response.setDamaged(blocks.isDamaged(BlockId.of(asked.getName())));
            answer(request, null, response.build());
          } catch (IOException | RuntimeException e) {
            answer(request, e);
          }
        });
  }
}

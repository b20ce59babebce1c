package dev.sailfish.lineage.worker.rpc;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.lineage.protocol.BlockToken.Access;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.AbandonCopyRequest;
import dev.sailfish.lineage.protocol.wire.BeginCopyRequest;
import dev.sailfish.lineage.protocol.wire.CopyBlockRequest;
import dev.sailfish.lineage.protocol.wire.CopyFileRequest;
import dev.sailfish.lineage.protocol.wire.EndCopyRequest;
import dev.sailfish.lineage.protocol.wire.LoadBlockRequest;
import dev.sailfish.lineage.protocol.wire.LoadBlockResponse;
import dev.sailfish.lineage.protocol.wire.ReadBlockResponse;
import dev.sailfish.lineage.protocol.wire.ReadUnderFileRequest;
import dev.sailfish.lineage.protocol.wire.WriteCopyRequest;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.under.CopyStreams;
import dev.sailfish.lineage.worker.under.UnderWork;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;

/**
 * What a worker does with requests for files below, and for blocks that are to come here. Nothing
 * here waits.
 */
final class UnderHandler {
  private final UnderWork under;
  private final IntUnaryOperator place;

  /**
   * @param place makes a place of this worker out of a tier
   */
  UnderHandler(UnderWork under, IntUnaryOperator place) {
    this.under = under;
    this.place = place;
  }

  void addTo(Routes routes, BlockGuard guard) {
    routes
        .on(
            WorkerService.BEGIN_COPY,
            BeginCopyRequest.parser(),
            guard.fresh(
                Access.WRITE,
                asked -> BlockGuard.ofFile(asked.getFid(), asked.getToken()),
                (request, asked) -> answer(request, streams().begin(asked.getFid()))))
        .on(
            WorkerService.WRITE_COPY,
            WriteCopyRequest.parser(),
            guard.begunSink(
                Access.WRITE,
                asked -> BlockGuard.ofFile(asked.getFid(), asked.getToken()),
                this::sink),
            this::written)
        .on(
            WorkerService.COPY_BLOCK,
            CopyBlockRequest.parser(),
            guard.begun(Access.WRITE, CopyBlockRequest::getName, this::copyBlock))
        .on(
            WorkerService.END_COPY,
            EndCopyRequest.parser(),
            guard.begun(
                Access.WRITE,
                asked -> BlockGuard.ofFile(asked.getFid(), asked.getToken()),
                (request, asked) ->
                    answer(request, streams().end(asked.getFid(), asked.getLength()))))
        .on(
            WorkerService.ABANDON_COPY,
            AbandonCopyRequest.parser(),
            guard.begun(
                Access.WRITE,
                asked -> BlockGuard.ofFile(asked.getFid(), asked.getToken()),
                (request, asked) -> answer(request, streams().abandon(asked.getFid()))))
        .on(
            WorkerService.COPY_FILE,
            CopyFileRequest.parser(),
            guard.fresh(
                Access.READ,
                asked -> BlockGuard.ofFile(asked.getFid(), asked.getToken()),
                (request, asked) -> answer(request, under.copies().copy(asked.getFid()))))
        .on(
            WorkerService.LOAD,
            LoadBlockRequest.parser(),
            guard.fresh(Access.READ, LoadBlockRequest::getName, this::load))
        .on(
            WorkerService.READ_BELOW,
            ReadUnderFileRequest.parser(),
            guard.fresh(
                Access.READ,
                asked -> BlockGuard.ofFile(asked.getFid(), asked.getToken()),
                this::read));
  }

  private CopyStreams streams() {
    return under.streams();
  }

  private static void answer(Request request, CompletableFuture<Void> done) {
    answer(request, done, nothing -> EmptyResponse.getDefaultInstance());
  }

  private static <T> void answer(
      Request request, CompletableFuture<T> done, Function<T, MessageLite> response) {
    done.whenComplete(
        (result, failure) -> {
          if (failure == null) {
            request.reply(response.apply(result));
          } else {
            fail(request, failure);
          }
        });
  }

  private static void fail(Request request, Throwable failure) {
    boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
    WorkerHandler.answer(request, isWrapped ? failure.getCause() : failure);
  }

  private PayloadSink sink(Request request, WriteCopyRequest asked, int length)
      throws RequestRefusedException {
    return new CopySink(streams().piece(asked.getFid(), length));
  }

  private void written(Request request) throws IOException {
    WriteCopyRequest asked = request.header(WriteCopyRequest.parser());
    if (!(request.sink() instanceof CopySink sink)) {
      throw new RequestRefusedException(Status.BAD_REQUEST, "no bytes to be copied");
    }
    int[] sums = asked.getChecksumsList().stream().mapToInt(sum -> sum).toArray();
    answer(request, sink.piece().write(asked.getOffset(), sums));
  }

  private void copyBlock(Request request, CopyBlockRequest asked) throws IOException {
    BlockId id = BlockId.of(asked.getName());
    answer(request, streams().append(id, asked.getLength(), asked.getPlace()));
  }

  private void load(Request request, LoadBlockRequest asked) {
    BlockId id = BlockId.of(asked.getName());
    answer(
        request,
        asked.getFromWorker() ? under.peerLoads().load(id) : under.loads().load(id),
        tier -> LoadBlockResponse.newBuilder().setPlace(place.applyAsInt(tier.ordinal())).build());
  }

  private void read(Request request, ReadUnderFileRequest asked) {
    under
        .reads()
        .read(asked.getFid(), asked.getOffset(), asked.getLength())
        .whenComplete(
            (bytes, failure) -> {
              if (failure != null) {
                fail(request, failure);
                return;
              }
              ReadBlockResponse response =
                  ReadBlockResponse.newBuilder()
                      .setBlockLength(bytes.fileLength())
                      .addAllChecksums(Arrays.stream(bytes.checksums()).boxed().toList())
                      .build();
              request.reply(response, bytes.released(), bytes.bytes());
            });
  }
}

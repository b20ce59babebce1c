package dev.sailfish.benchmarks.imerger;

import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordChecksum;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ReadResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A metaserver and chunkserver in one that holds one partition in memory: each map task has one
 * appended block, which is a chunk of its own, sorted as one run.
 */
final class RunServer implements RequestHandler, Closeable {
  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(256L << 20, 64 << 10));
  private final List<Run> runs = new ArrayList<>();
  private final int recordsPerRun;
  private final FrameServer server;

  /**
   * The chunk of one map task.
   *
   * @param bytes of the sorted chunk, up to the limit
   * @param tailOffset where its tail begins
   * @param checksum of its records, as a manifest has it
   */
  private record Run(ByteBuffer bytes, int tailOffset, long checksum) {}

  /** Makes so many runs of random records. */
  RunServer(int count, int recordsPerRun) throws IOException {
    this.recordsPerRun = recordsPerRun;
    for (int map = 0; map < count; map++) {
      runs.add(run(map));
    }
    // All answers may wait at once: how the server holds readers back is not measured here.
    ServerConfig.Limits usual = ServerConfig.Limits.DEFAULT;
    ServerConfig.Limits limits =
        new ServerConfig.Limits(
            usual.collectedBytes(),
            usual.collectedTotalBytes(),
            usual.receiveBytes(),
            1 << 30,
            usual.outstandingRequests(),
            usual.connections(),
            usual.unauthenticated());
    server =
        FrameServer.start(
            IfileService.SERVICE,
            ServerConfig.of("runs", "127.0.0.1", 0).withThreads(1).withLimits(limits),
            this);
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", server.port());
  }

  private Run run(int map) throws FormatException {
    int first = ChunkHeader.LENGTH + BlockHeader.LENGTH;
    ByteBuffer chunk = ByteBuffer.allocate(first + recordsPerRun * SortRecords.LENGTH);
    int length = new SortRecords(map).fillChunk(chunk, map, recordsPerRun);
    RecordChecksum checksum = new RecordChecksum();
    long sum = 0;
    RecordCursor cursor = new RecordCursor();
    cursor.reset(chunk.array(), first, length - first, false);
    while (cursor.next()) {
      sum +=
          checksum.of(
              cursor.buffer(), cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
    }
    ByteBuffer sorted = ByteBuffer.allocate((int) ChunkSorter.maxSortedLength(chunk, length));
    SortResult result = sorter.sort(chunk, length, sorted);
    return new Run(sorted.limit(result.length()), result.tailOffset(), sum);
  }

  @Override
  public void handle(Request request) throws IOException {
    Operation<?, ?> operation = request.operation();
    if (operation == IfileService.PLAN_PARTITION) {
      request.reply(plan());
    } else if (operation == IfileService.AWAIT_SORTED) {
      Run run = runs.get((int) request.header(AwaitSortedRequest.parser()).getChunk() - 1);
      int tailLength = run.bytes().limit() - run.tailOffset();
      request.reply(
          AwaitSortedResponse.getDefaultInstance(),
          run.bytes().slice(run.tailOffset(), tailLength));
    } else if (operation == IfileService.READ) {
      ReadRequest read = request.header(ReadRequest.parser());
      ByteBuffer bytes = runs.get((int) read.getChunk() - 1).bytes();
      request.reply(
          ReadResponse.getDefaultInstance(), bytes.slice((int) read.getOffset(), read.getLength()));
    } else {
      request.fail(Status.BAD_REQUEST, "not here: " + operation);
    }
  }

  private PlanPartitionResponse plan() {
    PlanPartitionResponse.Builder plan =
        PlanPartitionResponse.newBuilder().setOrdering(Ordering.NORMALIZED.code());
    long keysAndValues = SortRecords.KEY_LENGTH + SortRecords.VALUE_LENGTH;
    for (int map = 0; map < runs.size(); map++) {
      plan.addChunks(
          ChunkLocation.newBuilder()
              .setChunk(map + 1)
              .setState(ChunkState.SORTED.code())
              .setHost("127.0.0.1")
              .setPort(server.port()));
      plan.addWinners(
          WinnerManifest.newBuilder()
              .setMap(map)
              .setKnown(true)
              .setRecords(recordsPerRun)
              .setRecordBytes(recordsPerRun * keysAndValues)
              .setChecksum(runs.get(map).checksum())
              .addBlocks(
                  ChunkBlocks.newBuilder().setChunk(map + 1).addSequences(0).addSequences(1)));
    }
    return plan.build();
  }

  @Override
  public void close() {
    server.close();
  }
}

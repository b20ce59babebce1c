package dev.sailfish.benchmarks.imerger;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.ChunkTailWriter;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordChecksum;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.ground.server.FrameServer;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
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
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A metaserver and chunkserver in one that holds one partition in memory: each map task has one
 * appended block, which is a chunk of its own, sorted as one run.
 */
final class RunServer implements RequestHandler, Closeable {
  private static final int BLOCK_LENGTH = 64 << 10;

  private final int keyLength;
  private final int valueLength;
  private final List<ByteBuffer> chunks = new ArrayList<>();
  private final List<Integer> tails = new ArrayList<>();
  private final List<Long> checksums = new ArrayList<>();
  private final int recordsPerRun;
  private final FrameServer server;

  /** Of the records of the run that is being made. */
  private long checksum;

  /** Makes {@code runs} runs of random keys. */
  RunServer(int runs, int recordsPerRun, int keyLength, int valueLength) throws IOException {
    this.recordsPerRun = recordsPerRun;
    this.keyLength = keyLength;
    this.valueLength = valueLength;
    SplittableRandom random = new SplittableRandom(runs);
    for (int run = 0; run < runs; run++) {
      chunks.add(chunk(run, random));
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
            usual.connections());
    server =
        FrameServer.start(
            IfileService.SERVICE,
            ServerConfig.of("runs", "127.0.0.1", 0).withThreads(1).withLimits(limits),
            this);
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", server.port());
  }

  private byte[][] sortedKeys(SplittableRandom random) {
    byte[][] keys = new byte[recordsPerRun][keyLength];
    for (byte[] key : keys) {
      random.nextBytes(key);
    }
    Arrays.sort(keys, Arrays::compareUnsigned);
    return keys;
  }

  private ByteBuffer chunk(int run, SplittableRandom random) {
    int recordLength = RecordDescriptor.MAX_TAGGED_HEADER_LENGTH + keyLength + valueLength;
    int perBlock = BLOCK_LENGTH / (3 + keyLength + valueLength);
    int blocks = (recordsPerRun + perBlock - 1) / perBlock;
    ByteBuffer chunk =
        ByteBuffer.allocate(
            4096
                + recordsPerRun * recordLength
                + blocks * (BlockHeader.LENGTH + ChunkTail.MAX_KEY_LENGTH));
    new ChunkHeader("job_1_1", 0, run + 1, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
    ChunkTailWriter tail = new ChunkTailWriter(Ordering.NORMALIZED);
    byte[][] keys = sortedKeys(random);
    checksum = 0;
    int length = recordsPerRun * (RecordDescriptor.headerLength(keyLength, valueLength));
    length += recordsPerRun * (keyLength + valueLength);
    tail.addSource(header(run, 0, recordsPerRun, length, 0));
    int position = ChunkHeader.LENGTH;
    for (int first = 0; first < keys.length; first += perBlock) {
      int end = Math.min(keys.length, first + perBlock);
      int start = position + BlockHeader.LENGTH;
      int stop = start;
      for (int i = first; i < end; i++) {
        stop = putRecord(chunk.array(), stop, keys[i]);
      }
      int crc = Checksum.of(chunk, start, stop - start);
      BlockHeader header =
          header(BlockHeader.NO_MAP, first / perBlock, end - first, stop - start, crc);
      header.write(chunk, position);
      tail.addEntry(0, position, header, keys[first], keyLength);
      position = stop;
    }
    tails.add(position);
    checksums.add(checksum);
    return chunk.limit(tail.write(chunk, position));
  }

  /** Adds a record behind the others; its value is zeros. */
  private int putRecord(byte[] bytes, int offset, byte[] key) {
    int position = Varint.put(bytes, offset, 0);
    position = RecordDescriptor.putHeader(bytes, position, keyLength, valueLength);
    System.arraycopy(key, 0, bytes, position, keyLength);
    checksum += new RecordChecksum().of(bytes, position, keyLength, valueLength);
    return position + keyLength + valueLength;
  }

  private static BlockHeader header(int map, int sequence, int records, int length, int crc) {
    boolean sorted = map == BlockHeader.NO_MAP;
    return new BlockHeader(
        CodecId.NONE,
        sorted ? BlockHeader.FLAG_SORTED | BlockHeader.FLAG_TAGGED : 0,
        0,
        map,
        sorted ? BlockHeader.NO_MAP : 0,
        sequence,
        records,
        length,
        length,
        crc);
  }

  @Override
  public void handle(Request request) throws IOException {
    switch (request.operation().name()) {
      case "PLAN_PARTITION" -> request.reply(plan());
      case "AWAIT_SORTED" -> {
        int chunk = (int) request.header(AwaitSortedRequest.parser()).getChunk() - 1;
        int tail = tails.get(chunk);
        ByteBuffer bytes = chunks.get(chunk);
        request.reply(
            AwaitSortedResponse.getDefaultInstance(), bytes.slice(tail, bytes.limit() - tail));
      }
      case "READ" -> {
        ReadRequest read = request.header(ReadRequest.parser());
        ByteBuffer bytes = chunks.get((int) read.getChunk() - 1);
        request.reply(
            ReadResponse.getDefaultInstance(),
            bytes.slice((int) read.getOffset(), read.getLength()));
      }
      default -> request.fail(Status.BAD_REQUEST, "not here: " + request.operation());
    }
  }

  private PlanPartitionResponse plan() {
    PlanPartitionResponse.Builder plan =
        PlanPartitionResponse.newBuilder().setOrdering(Ordering.NORMALIZED.code());
    for (int i = 0; i < chunks.size(); i++) {
      plan.addChunks(
          ChunkLocation.newBuilder()
              .setChunk(i + 1)
              .setState(ChunkState.SORTED.code())
              .setHost("127.0.0.1")
              .setPort(server.port()));
      plan.addWinners(
          WinnerManifest.newBuilder()
              .setMap(i)
              .setKnown(true)
              .setRecords(recordsPerRun)
              .setRecordBytes((long) recordsPerRun * (keyLength + valueLength))
              .setChecksum(checksums.get(i))
              .addBlocks(ChunkBlocks.newBuilder().setChunk(i + 1).addSequences(0).addSequences(1)));
    }
    return plan.build();
  }

  @Override
  public void close() {
    server.close();
  }
}

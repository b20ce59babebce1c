package dev.sailfish.system.fuzz;

import com.google.protobuf.MessageLite;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.DeleteJobRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.ListChunksRequest;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import dev.sailfish.protocol.wire.SummarizeIndexRequest;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Requests of every operation with fields that are good, at the edge, or nonsense. Half of the
 * headers are damaged after they were encoded. No request names a job or a chunk that anybody
 * needs.
 */
final class RandomRequests {
  private static final int[] EDGES = {
    0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1_000_000, 65_536
  };
  private static final int JOBS = 3;

  private final SplittableRandom random;

  RandomRequests(SplittableRandom random) {
    this.random = random;
  }

  byte[] header(Operation<?, ?> operation) {
    byte[] bytes = message(operation).toByteArray();
    if (bytes.length > 0 && random.nextBoolean()) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
    }
    return random.nextInt(10) == 0 ? TestBytes.random(random, random.nextInt(300)) : bytes;
  }

  byte[] payload(Operation<?, ?> operation) {
    if (operation == IfileService.APPEND && random.nextInt(4) > 0) {
      return block();
    }
    return random.nextInt(3) == 0
        ? TestBytes.random(random, TestBytes.skewedLength(random, 100_000))
        : new byte[0];
  }

  /** A block that is good, or nearly so; half of them have records that are good too. */
  private byte[] block() {
    int count = random.nextInt(50);
    byte[] stored = new byte[count * 64];
    int length = 0;
    for (int i = 0; i < count; i++) {
      int keyLength = random.nextInt(20);
      int valueLength = random.nextInt(40);
      int end = RecordDescriptor.putHeader(stored, length, keyLength, valueLength);
      System.arraycopy(TestBytes.random(random, keyLength), 0, stored, end, keyLength);
      length = end + keyLength + valueLength;
    }
    if (random.nextBoolean() && length > 0) {
      stored[random.nextInt(length)] = (byte) random.nextInt();
    }
    int checksum = Checksum.of(stored, 0, length);
    BlockHeader header =
        new BlockHeader(
            CodecId.NONE,
            random.nextInt(8) == 0 ? random.nextInt(4) : 0,
            0,
            random.nextInt(3),
            0,
            random.nextInt(1000),
            count,
            length,
            length,
            random.nextInt(8) == 0 ? checksum + 1 : checksum);
    ByteBuffer block = ByteBuffer.allocate(header.blockLength());
    header.write(block, 0);
    block.put(BlockHeader.LENGTH, stored, 0, length);
    if (random.nextInt(6) == 0) {
      block.put(random.nextInt(BlockHeader.LENGTH), (byte) random.nextInt());
    }
    return block.array();
  }

  private int number() {
    return random.nextInt(3) == 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextInt(4);
  }

  private long chunk() {
    return random.nextInt(4) == 0 ? random.nextLong() : 1 + random.nextInt(20);
  }

  private String job() {
    return random.nextInt(8) == 0 ? text() : "job_666_" + random.nextInt(JOBS);
  }

  private String text() {
    return switch (random.nextInt(4)) {
      case 0 -> "";
      case 1 -> "../../" + random.nextInt();
      case 2 -> "\u0000\u20ac".repeat(random.nextInt(2000));
      default -> "-x".repeat(random.nextInt(200));
    };
  }

  private MessageLite message(Operation<?, ?> operation) {
    return switch (operation.name()) {
      case "CREATE_IFILES" ->
          CreateIfilesRequest.newBuilder()
              .setJob(job())
              .setPartitions(random.nextInt(4) == 0 ? number() : 4)
              .setOrdering(random.nextInt(3))
              .setCodec(random.nextInt(6))
              .setUser(text())
              .setChunkBytes(random.nextInt(4) == 0 ? random.nextLong() : 1 << 20)
              .build();
      case "BIND" -> bind();
      case "COMMIT_MANIFEST" -> commit();
      case "ABORT_ATTEMPT" ->
          AbortAttemptRequest.newBuilder()
              .setJob(job())
              .setMap(number())
              .setAttempt(number())
              .build();
      case "PLAN_PARTITION" -> plan();
      case "SUM_WINNERS" ->
          SumWinnersRequest.newBuilder()
              .setJob(job())
              .addAllWinners(plan().getWinnersList())
              .setFromPartition(number())
              .build();
      case "RENEW_LEASE" -> RenewLeaseRequest.newBuilder().setJob(job()).build();
      case "DELETE_JOB" -> DeleteJobRequest.newBuilder().setJob(job()).build();
      case "DESCRIBE_JOB" ->
          DescribeJobRequest.newBuilder()
              .setJob(job())
              .setPartition(number())
              .setAfterChunk(chunk())
              .setLimit(number())
              .build();
      case "REGISTER_CHUNKSERVER" -> register();
      case "HEARTBEAT" ->
          HeartbeatRequest.newBuilder()
              .setServerId("fuzz" + random.nextInt(3))
              .addChanged(report())
              .addActiveJobs(job())
              .setMemoryUsed(random.nextLong())
              .setMaxWaitMs(random.nextInt(50))
              .build();
      case "LIST_JOBS" -> ListJobsRequest.getDefaultInstance();
      case "SERVER_STATUS" -> ServerStatusRequest.getDefaultInstance();
      default -> ofChunkserver(operation);
    };
  }

  private MessageLite bind() {
    BindRequest.Builder bind =
        BindRequest.newBuilder().setJob(job()).setMap(number()).setAttempt(number());
    bind.setHost(random.nextBoolean() ? "127.0.0.1" : text());
    for (int i = random.nextInt(4); i > 0; i--) {
      bind.addTargets(
          BindTarget.newBuilder()
              .setPartition(number())
              .setPreviousChunk(chunk())
              .setPreviousFull(random.nextBoolean())
              .addAvoidServers(text()));
    }
    return bind.build();
  }

  private MessageLite commit() {
    CommitManifestRequest.Builder commit =
        CommitManifestRequest.newBuilder().setJob(job()).setMap(number()).setAttempt(number());
    for (int i = random.nextInt(3); i > 0; i--) {
      commit.addPartitions(
          PartitionManifest.newBuilder()
              .setPartition(number())
              .setRecords(random.nextLong())
              .addBlocks(
                  ChunkBlocks.newBuilder()
                      .setChunk(chunk())
                      .addSequences(number())
                      .addSequences(number())));
    }
    return commit.build();
  }

  private PlanPartitionRequest plan() {
    PlanPartitionRequest.Builder plan =
        PlanPartitionRequest.newBuilder()
            .setJob(job())
            .setPartition(number())
            .setFinal(random.nextBoolean());
    for (int i = random.nextInt(6); i > 0; i--) {
      plan.addWinners(number());
    }
    return plan.build();
  }

  /** A server without room, so that nobody is sent to it who can go elsewhere. */
  private MessageLite register() {
    return RegisterChunkserverRequest.newBuilder()
        .setServerId("fuzz" + random.nextInt(3))
        .setHost(random.nextBoolean() ? "127.0.0.1" : text())
        .setPort(random.nextBoolean() ? 1 : number())
        .addChunks(report())
        .build();
  }

  private ChunkReport report() {
    return ChunkReport.newBuilder()
        .setChunk(chunk())
        .setJob(job())
        .setPartition(number())
        .setState(random.nextInt(6))
        .setRawBytes(random.nextLong())
        .setStoredBytes(random.nextLong())
        .setRecords(random.nextLong())
        .build();
  }

  private MessageLite ofChunkserver(Operation<?, ?> operation) {
    return switch (operation.name()) {
      case "APPEND" ->
          AppendRequest.newBuilder()
              .setChunk(chunk())
              .setJob(job())
              .setPartition(random.nextInt(8) == 0 ? number() : 0)
              .setOrdering(random.nextInt(8) == 0 ? number() : 1)
              .setCodec(random.nextInt(8) == 0 ? number() : 0)
              .setChunkBytes(random.nextInt(8) == 0 ? random.nextLong() : 1 << 20)
              .build();
      case "AWAIT_SORTED" ->
          AwaitSortedRequest.newBuilder()
              .setJob(job())
              .setChunk(chunk())
              .setDeadlineMs(random.nextInt(100))
              .build();
      case "READ" ->
          ReadRequest.newBuilder()
              .setJob(job())
              .setChunk(chunk())
              .setOffset(random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(2000))
              .setLength(number())
              .build();
      case "SUMMARIZE_INDEX" ->
          SummarizeIndexRequest.newBuilder()
              .setJob(job())
              .addChunks(chunk())
              .addChunks(chunk())
              .setBytesPerEntry(number())
              .setFromChunk(number())
              .setFromEntry(number())
              .setMaxBytes(number())
              .build();
      default ->
          ListChunksRequest.newBuilder()
              .setJob(job())
              .setAfterChunk(chunk())
              .setLimit(number())
              .build();
    };
  }
}

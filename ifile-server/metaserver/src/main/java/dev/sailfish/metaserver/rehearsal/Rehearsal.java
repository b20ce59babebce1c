package dev.sailfish.metaserver.rehearsal;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.guard.CpuBudget;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for what the tasks of a job ask for, right after a metaserver has started, of a {@link
 * ScratchServer}: the JVM loads and compiles what the first job will need while nobody waits for
 * it.
 *
 * <pre>
 *   maps:     create I-files ─▶ bind ─▶ chunks reported ─▶ commit        each over its connection
 *   reduces:  plan ─▶ describe ─▶ renew the lease
 *   until  all tasks were played, or the CPU time is used up, or a job comes, or close
 * </pre>
 *
 * <p>It begins when {@link #start} is called, on a thread of its own; the metaserver serves
 * meanwhile. Journal, metrics and chunkservers see nothing of it. When it fails, a WARN says so,
 * and nothing else happens.
 */
public final class Rehearsal implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
  private static final String JOB = "rehearsal";
  private static final int MAPS = 90;
  private static final int REDUCES = 30;
  private static final int PARTITIONS = 8;
  private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(15);

  private final Duration cpuTime;
  private final BooleanSupplier hasCome;
  private final Thread thread = new Thread(this::run, "rehearsal");
  private volatile boolean closed;

  /**
   * A rehearsal that has not begun.
   *
   * @param cpuTime that the process may use for it; after ten times as long it ends, too
   * @param hasCome whether a job has come; asked often, never waits
   */
  public Rehearsal(Duration cpuTime, BooleanSupplier hasCome) {
    this.cpuTime = cpuTime;
    this.hasCome = hasCome;
    thread.setDaemon(true);
  }

  /** Begins, and returns at once. */
  public void start() {
    thread.start();
  }

  /** All of it, on the caller's thread; returns how many tasks were played. */
  int run() {
    CpuBudget budget = new CpuBudget(cpuTime);
    int tasks = 0;
    try (ScratchServer server = ScratchServer.open();
        Connection chunkserver = server.connectChunkserver()) {
      register(chunkserver);
      while (tasks < MAPS + REDUCES && !closed && !hasCome.getAsBoolean() && !budget.isUsedUp()) {
        // A connection each, as each task has one.
        try (MetaserverClient task = server.connect()) {
          play(task, chunkserver, tasks);
        }
        tasks++;
      }
    } catch (IOException | RuntimeException e) {
      if (!closed) {
        LOG.warn("the rehearsal failed; the first job will be slower, that is all", e);
      }
    }
    LOG.info(
        "rehearsal tasks={} ms={} cpu ms={}",
        tasks,
        budget.passed().toMillis(),
        budget.used().toMillis());
    return tasks;
  }

  private static void play(MetaserverClient task, Connection chunkserver, int number)
      throws IOException {
    if (number < MAPS) {
      map(task, chunkserver, number);
    } else {
      reduce(task, number % PARTITIONS);
    }
  }

  private static void register(Connection chunkserver) throws IOException {
    chunkserver.call(
        IfileService.REGISTER_CHUNKSERVER,
        RegisterChunkserverRequest.newBuilder()
            .setServerId(JOB)
            .setHost("localhost")
            .setPort(1)
            .setMemoryCapacity(1L << 40)
            .build(),
        RegisterChunkserverResponse.parser());
  }

  private static void map(MetaserverClient task, Connection chunkserver, int map)
      throws IOException {
    task.createIfiles(
        CreateIfilesRequest.newBuilder()
            .setJob(JOB)
            .setPartitions(PARTITIONS)
            .setOrdering(Ordering.NORMALIZED.code())
            .setCodec(CodecId.NONE.code())
            .setUser(JOB)
            .setMap(map)
            .build());
    BindRequest.Builder bind =
        BindRequest.newBuilder().setJob(JOB).setMap(map).setHost("localhost");
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bind.addTargets(BindTarget.newBuilder().setPartition(partition));
    }
    Map<Integer, Long> chunks = new LinkedHashMap<>();
    for (Binding binding : task.bind(bind.build()).getBindingsList()) {
      chunks.put(binding.getPartition(), binding.getChunk());
    }
    report(chunkserver, chunks, map);
    CommitManifestRequest.Builder commit =
        CommitManifestRequest.newBuilder().setJob(JOB).setMap(map).setMaps(MAPS);
    chunks.forEach((partition, chunk) -> commit.addPartitions(wrote(partition, chunk)));
    task.commitManifest(commit.build());
  }

  /** The chunks have grown. */
  private static void report(Connection chunkserver, Map<Integer, Long> chunks, int map)
      throws IOException {
    HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder().setServerId(JOB);
    chunks.forEach(
        (partition, chunk) ->
            heartbeat.addChanged(
                ChunkReport.newBuilder()
                    .setJob(JOB)
                    .setChunk(chunk)
                    .setPartition(partition)
                    .setState(ChunkState.OPEN.code())
                    .setRawBytes(map)
                    .setStoredBytes(map)
                    .setRecords(map)));
    chunkserver.call(IfileService.HEARTBEAT, heartbeat.build(), HeartbeatResponse.parser());
  }

  private static PartitionManifest wrote(int partition, long chunk) {
    return PartitionManifest.newBuilder()
        .setPartition(partition)
        .setRecords(1)
        .setRecordBytes(1)
        .setRawBytes(1)
        .addBlocks(ChunkBlocks.newBuilder().setChunk(chunk).addSequences(0).addSequences(1))
        .build();
  }

  private static void reduce(MetaserverClient task, int partition) throws IOException {
    PlanPartitionRequest.Builder plan =
        PlanPartitionRequest.newBuilder().setJob(JOB).setPartition(partition).setFinal(true);
    for (int map = 0; map < MAPS; map++) {
      plan.addWinners(map).addWinners(0);
    }
    task.planPartition(plan.build());
    task.describeJob(JOB, -1);
    task.renewLease(JOB);
  }

  /** Ends it, and waits until it has, 15 s at most. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(CLOSE_DEADLINE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package dev.sailfish.chunkserver.rehearsal;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.server.guard.CpuBudget;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.AppendRequest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends, sorts and reads small chunks of records that mean nothing, right after a chunkserver has
 * started: the JVM loads and compiles what the first job will need while nobody waits for it.
 *
 * <pre>
 *   chunks of a few MiB ─▶ {@link ScratchServer} ─▶ sorted or indexed ─▶ read ─▶ deleted
 *   until  all of the program was played, or the CPU time is used up, or a job comes, or close
 * </pre>
 *
 * <p>It begins when {@link #start} is called, on a thread of its own with the lowest priority
 * (which Linux' JVMs do not heed by default); the chunkserver registers and serves meanwhile.
 * Whether it goes on is asked before each block, sort and read. What it stores is on the memory
 * file system, at most 64 MiB beside the tiers, and gone at its end. When it fails, a WARN says so,
 * and nothing else happens.
 */
public final class Rehearsal implements Closeable {
  /** Why a rehearsal ended. */
  enum End {
    /** All was played. */
    COMPLETE,
    /** Its CPU time is used up, or ten times as long has passed. */
    BOUND,
    /** A job came, or the server is closing. */
    STOPPED,
    /** It met an error. */
    FAILED
  }

  /** What it stores at a time at most, in bytes, beside the tiers. */
  public static final long SCRATCH_BYTES = 64L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
  private static final long CHUNK_BYTES = 8L << 20;
  private static final int READ_BYTES = 256 << 10;
  private static final int MAX_SORTER_BYTES = 16 << 20;
  private static final int PATIENCE_MS = 10_000;
  private static final int USUAL_SCENES = 12;
  private static final int LONG_SCENES = 6;
  private static final int WINDOW = 16;
  private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(15);

  private static final List<Scene> PROGRAM = program();

  private final Limits limits;
  private final Path directory;
  private final Owner store;
  private final BooleanSupplier hasCome;
  private final Runnable sorters;
  private final Thread thread = new Thread(this::run, "rehearsal");
  private volatile boolean closed;
  private CpuBudget budget;
  private long bytes;

  /**
   * Chunks of one I-file. Of more than 128 blocks: the numbers of the first ones are a byte long,
   * and code that has seen only these is compiled again for longer ones.
   */
  private record Scene(Ordering ordering, CodecId codec, int chunks, int blocks, int records) {}

  /** What ends a rehearsal before its end. */
  private static final class Stopped extends Exception {
    private static final long serialVersionUID = 1L;
    private final End end;

    Stopped(End end) {
      super(end.name(), null, false, false);
      this.end = end;
    }
  }

  /**
   * What a rehearsal may take.
   *
   * @param cpuTime that the process may use while code is rehearsed, its compilers included; after
   *     ten times as long it ends, too
   * @param warmBytes how much memory is made ready then
   * @param sorter as the server's sorters have; of the memory 16 MiB at most are used
   */
  public record Limits(Duration cpuTime, long warmBytes, SorterConfig sorter) {
    /** Bounds the sorter's memory. */
    public Limits {
      long memory = Math.min(sorter.memoryBytes(), MAX_SORTER_BYTES);
      sorter = new SorterConfig(memory, sorter.sortedBlockBytes());
    }
  }

  /**
   * A rehearsal that has not begun.
   *
   * @param directory for its scratch, on a memory file system, of nobody else
   * @param store whose memory is made ready
   * @param hasCome whether a job has come; asked often, never waits
   * @param sorters makes ready what the server's own sorters need; called last, if memory was made
   *     ready
   */
  public Rehearsal(
      Limits limits, Path directory, Owner store, BooleanSupplier hasCome, Runnable sorters) {
    this.limits = limits;
    this.directory = directory;
    this.store = store;
    this.hasCome = hasCome;
    this.sorters = sorters;
    thread.setDaemon(true);
    thread.setPriority(Thread.MIN_PRIORITY);
  }

  private static List<Scene> program() {
    Scene usual = new Scene(Ordering.NORMALIZED, CodecId.NONE, 1, 250, 250);
    List<Scene> scenes = new ArrayList<>(Collections.nCopies(USUAL_SCENES, usual));
    // Blocks as long as those of jobs, of which the sorter takes a sample each.
    scenes.addAll(
        Collections.nCopies(
            LONG_SCENES, new Scene(Ordering.NORMALIZED, CodecId.NONE, 1, 29, 2600)));
    scenes.add(new Scene(Ordering.NORMALIZED, CodecId.NONE, 2, 150, 100));
    scenes.add(new Scene(Ordering.NORMALIZED, CodecId.LZ4, 1, 150, 200));
    scenes.add(new Scene(Ordering.COMPARATOR, CodecId.NONE, 1, 150, 200));
    return List.copyOf(scenes);
  }

  /** Deletes what a rehearsal of a process that was killed has left; nothing, mostly. */
  public static void clear(Path directory) {
    try {
      if (Files.isDirectory(directory)) {
        ScratchServer.clear(directory);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("directory={} of an earlier rehearsal cannot be deleted", directory, e);
    }
  }

  /** Begins, and returns at once. */
  public void start() {
    thread.start();
  }

  /** All of it, on the caller's thread. */
  End run() {
    budget = new CpuBudget(limits.cpuTime);
    End end = End.FAILED;
    long warmed = 0;
    try {
      end = play();
      warmed = new WarmMemory(store, () -> !isOver()).warm(limits.warmBytes);
      if (warmed > 0) {
        sorters.run();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      end = closed ? End.STOPPED : End.FAILED;
      if (!closed) {
        LOG.warn("the rehearsal failed; the first job will be slower, that is all", e);
      }
    }
    LOG.info(
        "rehearsal ended={} ms={} cpu ms={} bytes={} warm bytes={}",
        end,
        budget.passed().toMillis(),
        budget.used().toMillis(),
        bytes,
        warmed);
    return end;
  }

  private End play() throws IOException {
    try (ScratchServer server = ScratchServer.open(directory, limits.sorter)) {
      long chunk = 0;
      for (Scene scene : PROGRAM) {
        checkGoesOn();
        // A connection each, as each task has one.
        try (ChunkserverClient client = server.connect()) {
          play(scene, server, client, chunk);
        }
        chunk += scene.chunks;
      }
      return End.COMPLETE;
    } catch (Stopped e) {
      return e.end;
    }
  }

  private void play(Scene scene, ScratchServer server, ChunkserverClient client, long first)
      throws IOException, Stopped {
    for (long chunk = first; chunk < first + scene.chunks; chunk++) {
      append(scene, client, chunk);
    }
    server.complete();
    for (long chunk = first; chunk < first + scene.chunks; chunk++) {
      checkGoesOn();
      read(client, chunk);
    }
    for (long chunk = first; chunk < first + scene.chunks; chunk++) {
      server.delete(chunk);
    }
  }

  private void append(Scene scene, ChunkserverClient client, long chunk)
      throws IOException, Stopped {
    ChunkSpec spec =
        new ChunkSpec(ScratchServer.JOB, chunk, 0, scene.ordering, scene.codec, CHUNK_BYTES, false);
    byte[] request =
        AppendRequest.newBuilder()
            .setJob(spec.job())
            .setChunk(chunk)
            .setPartition(spec.partition())
            .setOrdering(spec.ordering().code())
            .setCodec(spec.codec().code())
            .setChunkBytes(spec.chunkBytes())
            .build()
            .toByteArray();
    SyntheticBlocks blocks = new SyntheticBlocks(spec, scene.records);
    Deque<PayloadReply> window = new ArrayDeque<>();
    for (int map = 0; map < scene.blocks; map++) {
      checkGoesOn();
      awaitReplies(client, window, WINDOW - 1);
      PayloadReply reply = new PayloadReply();
      client.connection().send(IfileService.APPEND, request, reply, blocks.of(map));
      window.add(reply);
    }
    awaitReplies(client, window, 0);
  }

  private static void awaitReplies(ChunkserverClient client, Deque<PayloadReply> window, int most)
      throws IOException {
    while (window.size() > most) {
      PayloadReply reply = window.remove();
      while (!reply.ended()) {
        client.connection().poll();
      }
      if (reply.error() != null) {
        throw reply.error();
      }
    }
  }

  private void read(ChunkserverClient client, long chunk) throws IOException, Stopped {
    String job = ScratchServer.JOB;
    ChunkTail tail = client.awaitSorted(job, chunk, PATIENCE_MS, Duration.ofMillis(PATIENCE_MS));
    for (long at = 0; at < tail.offset(); at += READ_BYTES) {
      checkGoesOn();
      client.read(job, chunk, at, (int) Math.min(READ_BYTES, tail.offset() - at));
    }
    client.summarizeIndex(job, List.of(chunk), 0, false);
    bytes += tail.offset();
  }

  private void checkGoesOn() throws Stopped {
    if (isOver()) {
      throw new Stopped(End.STOPPED);
    }
    if (budget.isUsedUp()) {
      throw new Stopped(End.BOUND);
    }
  }

  private boolean isOver() {
    return closed || hasCome.getAsBoolean();
  }

  /** Ends it, and waits until it has: for a sort of some MiB mostly, 15 s at most. */
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

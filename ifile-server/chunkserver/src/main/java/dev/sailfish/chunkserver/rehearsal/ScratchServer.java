package dev.sailfish.chunkserver.rehearsal;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.ThreadCpu;
import dev.sailfish.chunkserver.rpc.ChunkserverHandler;
import dev.sailfish.chunkserver.sort.SorterPool;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The way of the data through a chunkserver, of the same classes, and nothing around it: port,
 * handler, chunks, one sorter, block store. Its store, metrics and threads are its own; no
 * metaserver hears of it. It listens on the loopback address, on any free port, and lets in who
 * knows a secret that is drawn anew each time.
 *
 * <p>For one thread; its clients may be used by others.
 */
final class ScratchServer implements Closeable {
  /** The job of all chunks. */
  static final String JOB = "rehearsal";

  private static final String OWNER = "rehearsal";
  private static final int MAX_CHUNKS = 100;
  private static final int MAX_WAITING = 10;
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final byte[] secret = Handshake.nonce();
  private final Metrics<ChunkserverMetric> metrics = new Metrics<>(ChunkserverMetric.class);
  private final BlockStore store;
  private final Owner segments;
  private final SorterPool sorters;
  private final ChunkTable chunks;
  private final ScheduledExecutorService timer = new GuardedTimer("rehearsal-timer");
  private FrameServer frames;

  private ScratchServer(BlockStore store, SorterConfig sorter) {
    this.store = store;
    this.segments = store.owner(OWNER);
    this.sorters =
        new SorterPool(
            1,
            () -> new ChunkSorter(sorter),
            (job, answer) -> {
              answer.refused(Status.BAD_REQUEST, "nothing of a rehearsal is encrypted");
              return null;
            },
            segments,
            metrics);
    this.chunks = new ChunkTable(segments, sorters.queue(), metrics, MAX_CHUNKS, ThreadCpu::nanos);
  }

  /**
   * Serves when this returns. What a process that was killed has left in the directory is deleted.
   *
   * @param directory on a memory file system, of nobody else; is gone after {@link #close}
   * @throws IOException naming what cannot be opened, locked or bound
   */
  static ScratchServer open(Path directory, SorterConfig sorter) throws IOException {
    ScratchServer server = new ScratchServer(store(directory), sorter);
    boolean opened = false;
    try {
      server.start();
      opened = true;
      return server;
    } finally {
      if (!opened) {
        server.close();
      }
    }
  }

  /** Deletes what a rehearsal of a process that was killed has left in a directory, and that. */
  static void clear(Path directory) throws IOException {
    try (BlockStore left = store(directory)) {
      deleteAll(left.owner(OWNER));
    }
  }

  private static BlockStore store(Path directory) throws IOException {
    TierConfig memory =
        new TierConfig(Tier.MEMORY, List.of(new Directory(directory, Rehearsal.SCRATCH_BYTES)));
    return BlockStore.open(
        new BlockStoreConfig(
            List.of(memory),
            List.of(new OwnerConfig(OWNER, Map.of())),
            BlockStoreConfig.DEFAULT_GROWTH_BYTES,
            BlockStoreConfig.DEFAULT_IDLE_RELEASE),
        System::nanoTime);
  }

  private static void deleteAll(Owner owner) {
    owner.names().forEach(name -> owner.find(name).ifPresent(Segment::delete));
  }

  private void start() throws IOException {
    deleteAll(segments);
    sorters.start();
    String loopback = InetAddress.getLoopbackAddress().getHostAddress();
    frames =
        FrameServer.start(
            IfileService.SERVICE,
            ServerConfig.of(JOB, loopback, 0).withThreads(1),
            new ChunkserverHandler(
                chunks,
                metrics,
                timer,
                MAX_WAITING,
                request -> request.fail(Status.BAD_REQUEST, "a rehearsal has no status")),
            Authenticator.ofCluster(secret),
            new Metrics<>(ServerMetric.class));
  }

  /** A connection to it; each wait ends after 10 s. */
  ChunkserverClient connect() throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), frames.port());
    return ChunkserverClient.connect(address, JOB, Credentials.ofCluster(secret), DEADLINE);
  }

  /** Has the chunks sorted that still take blocks, small ones of one I-file as one. */
  void complete() {
    chunks.completeJob(JOB);
  }

  /** Frees a chunk, so that the next one takes its place. */
  void delete(long chunk) {
    chunks.deleteChunk(chunk);
  }

  /** Lets a running sort end, and deletes all, the directory too. */
  @Override
  public void close() throws IOException {
    try (store) {
      if (frames != null) {
        frames.close();
      }
      timer.shutdownNow();
      chunks.deleteJob(JOB);
      sorters.close();
      deleteAll(segments);
    }
  }
}

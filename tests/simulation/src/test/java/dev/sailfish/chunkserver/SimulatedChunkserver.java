package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.StoreUsage;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.SegmentName;
import dev.sailfish.chunkserver.chunk.SortedFile;
import dev.sailfish.chunkserver.recovery.ChunkCopier;
import dev.sailfish.chunkserver.recovery.ChunkRecovery;
import dev.sailfish.chunkserver.rpc.ChunkserverHandler;
import dev.sailfish.chunkserver.sort.DataKeys;
import dev.sailfish.chunkserver.sort.SorterPool;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.BlockCursor;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.zip.CRC32C;

/**
 * One life of a chunkserver: the parts of {@link Chunkserver} put together without sockets and
 * threads, on real directories, and what can be seen of its chunks.
 */
public final class SimulatedChunkserver {
  private static final int HEARTBEAT_MS = 1_000;
  private static final long TICK_MS = 1_000;
  private static final long FORGET_MS = 30_000;
  private static final int MAX_CHUNKS = 1_000;
  private static final int MAX_WAITING = 1_000;
  private static final int GROWTH_BYTES = 4096;
  private static final Duration LINK_DEADLINE = Duration.ofSeconds(6);
  private static final Duration KEY_DEADLINE = Duration.ofSeconds(3);
  private static final SorterConfig SORTER =
      new SorterConfig(1 << 20, SorterConfig.MIN_SORTED_BLOCK_BYTES);

  /**
   * What stays the same over the lives of a chunkserver.
   *
   * @param port that clients are told
   * @param directory for its segments
   * @param memoryBytes capacity of its memory tier
   * @param diskBytes capacity of its disk tier
   */
  public record Setup(String id, int port, Path directory, long memoryBytes, long diskBytes) {}

  /**
   * What the server knows of the others.
   *
   * @param metaserver its address
   * @param secret of the cluster; absent when nobody is authenticated
   * @param beating network of the heartbeat agent
   * @param copying network of the copier
   * @param asking network of who asks for jobs' keys
   * @param questionCame called when there is a key to ask for
   */
  public record Surroundings(
      InetSocketAddress metaserver,
      Optional<byte[]> secret,
      Network beating,
      Network copying,
      Network asking,
      Runnable questionCame) {}

  /** A block, as a chunk holds it. */
  public record HeldBlock(int map, int attempt, int sequence) {}

  /**
   * A chunk as it is now.
   *
   * @param bytes checksum of them
   * @param blocks that are in its bytes, with the right checksums
   */
  public record SeenChunk(
      long id, String job, ChunkState state, int bytes, Set<HeldBlock> blocks) {}

  private final Setup setup;
  private final BlockStore blockStore;
  private final Owner store;
  private final Metrics<ChunkserverMetric> metrics = new Metrics<>(ChunkserverMetric.class);
  private final SorterPool sorters;
  private final ChunkTable chunks;
  private final ChunkCopier copier;
  private final ChunkSorter sorter = new ChunkSorter(SORTER);
  private final ChunkserverHandler handler;
  private final HeartbeatAgent agent;
  private final Optional<SimulatedJobKeys> keys;
  private final Map<Long, SeenChunk> lastSeen = new HashMap<>();
  private final Map<Long, String> openNames = new HashMap<>();

  /**
   * Opens the directories and takes over what is in them.
   *
   * @param timer of this life
   */
  public SimulatedChunkserver(
      Setup setup, Surroundings surroundings, ScheduledExecutorService timer) throws IOException {
    this.setup = setup;
    this.keys =
        surroundings
            .secret()
            .map(
                secret ->
                    new SimulatedJobKeys(
                        new JobKeys(
                            secret, metaserver(surroundings, surroundings.asking()), KEY_DEADLINE),
                        surroundings.questionCame()));
    Path disk = setup.directory().resolve("disk");
    Path memory = setup.directory().resolve("memory");
    this.blockStore =
        BlockStore.open(
            new BlockStoreConfig(
                List.of(
                    tier(Tier.MEMORY, memory, setup.memoryBytes()),
                    tier(Tier.DISK, disk, setup.diskBytes())),
                List.of(new OwnerConfig(ChunkserverConfig.SEGMENT_OWNER, Map.of())),
                GROWTH_BYTES,
                Duration.ofMinutes(1)),
            surroundings.beating()::nanoTime);
    this.store = blockStore.owner(ChunkserverConfig.SEGMENT_OWNER);
    DataKeys dataKeys = keys.isPresent() ? keys.get() : (job, asked) -> null;
    this.sorters = new SorterPool(0, () -> sorter, dataKeys, store, metrics);
    this.chunks = new ChunkTable(store, sorters.queue(), metrics, MAX_CHUNKS, () -> 0);
    Credentials cluster =
        surroundings.secret().map(Credentials::ofCluster).orElseGet(Credentials::none);
    this.copier = new ChunkCopier(store, chunks, surroundings.copying(), cluster, metrics);
    this.handler =
        new ChunkserverHandler(
            chunks,
            metrics,
            timer,
            MAX_WAITING,
            request -> request.reply(ServerStatusResponse.getDefaultInstance()));
    this.agent =
        new HeartbeatAgent(
            chunks,
            copier,
            metrics,
            metaserver(surroundings, surroundings.beating()),
            this::registration,
            this::heartbeat,
            new Notices());
    new ChunkRecovery(store, chunks, metrics).run();
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    timer.scheduleWithFixedDelay(chunks::forgetPast, FORGET_MS, FORGET_MS, TimeUnit.MILLISECONDS);
  }

  private static TierConfig tier(Tier tier, Path path, long bytes) {
    return new TierConfig(tier, List.of(new Directory(path, bytes)), 1.0, false);
  }

  private MetaserverClient metaserver(Surroundings surroundings, Network network) {
    return new MetaserverClient(
        network,
        List.of(surroundings.metaserver()),
        "chunkserver " + setup.id(),
        surroundings.secret().map(Credentials::ofCluster).orElseGet(Credentials::none),
        LINK_DEADLINE);
  }

  private void tick() {
    sorters.queue().retry();
    blockStore.releaseIdle();
  }

  private RegisterChunkserverRequest registration() {
    StoreUsage usage = store.usage();
    return RegisterChunkserverRequest.newBuilder()
        .setServerId(setup.id())
        .setHost("127.0.0.1")
        .setPort(setup.port())
        .setMemoryCapacity(usage.capacityBytes(Tier.MEMORY))
        .setDiskCapacity(usage.capacityBytes(Tier.DISK))
        .build();
  }

  private HeartbeatRequest heartbeat() {
    StoreUsage usage = store.usage();
    return HeartbeatRequest.newBuilder()
        .setServerId(setup.id())
        .setMemoryUsed(usage.usedBytes(Tier.MEMORY))
        .setDiskUsed(usage.usedBytes(Tier.DISK))
        .setMaxWaitMs(HEARTBEAT_MS)
        .build();
  }

  private final class Notices implements HeartbeatAgent.Notices {
    @Override
    public void jobEnded(String job) {
      keys.ifPresent(known -> known.forget(job));
    }

    @Override
    public void refused(RemoteException cause) {
      throw new AssertionError("the metaserver does not know its own chunkserver", cause);
    }

    @Override
    public void registered() {}

    @Override
    public void alone(IOException cause) {}
  }

  /** Knows who may connect; null when everybody may. */
  public Authenticator authenticator() {
    return keys.orElse(null);
  }

  /** Whether there are jobs' keys to ask for. */
  public boolean hasKeysToAskFor() {
    return keys.isPresent() && keys.get().hasQuestions();
  }

  /** Asks the metaserver for them. */
  public void askForKeys() {
    keys.ifPresent(SimulatedJobKeys::ask);
  }

  /** What serves requests. */
  public RequestHandler handler() {
    return handler;
  }

  /** The heartbeat's thread: runs until its process dies. */
  public void beat() {
    agent.run();
  }

  /** Copies the next chunk from a server that is drained; returns whether there was one. */
  public boolean copyNext() {
    return copier.copyNext();
  }

  /** Sorts that wait. */
  public int queuedSorts() {
    return sorters.queue().size();
  }

  /** Does the next sort. */
  public void sortNext() {
    sorters.sortNext(sorter);
  }

  /** Ends this life as a kill does: nothing is finished, and the files stay. */
  public void die() throws IOException {
    blockStore.close();
  }

  /** Turns bits of a SORTED chunk, by its id, if there is such a one; returns whether there was. */
  public boolean damageOne(LongPredicate which) {
    for (Chunk chunk : chunks.list("")) {
      if (chunk.state() == ChunkState.SORTED && which.test(chunk.spec().id())) {
        damage(chunk);
        return true;
      }
    }
    return false;
  }

  private static void damage(Chunk chunk) {
    SortedFile file;
    try {
      file = chunk.read();
    } catch (RequestRefusedException e) {
      throw new AssertionError("chunk cannot be read: " + chunk.spec().label(), e);
    }
    ByteBuffer bytes = file.segment().buffer();
    bytes.put(ChunkHeader.LENGTH, (byte) ~bytes.get(ChunkHeader.LENGTH));
    file.segment().release();
  }

  /** How many small chunks were sorted with others. */
  public long combined() {
    return metrics.get(ChunkserverMetric.COMBINED_CHUNKS);
  }

  // ---- what can be seen
  // --------------------------------------------------------------------------

  /** Counters that are wrong in themselves: null, or a sentence. */
  public String wrongCounters() {
    long losses = metrics.get(ChunkserverMetric.LOSSES);
    if (losses != 0) {
      return "chunkserver " + setup.id() + " lost chunks by itself: losses=" + losses;
    }
    long arriving = metrics.get(ChunkserverMetric.ARRIVING_BYTES);
    if (arriving < 0 || handler.waiting() < 0) {
      return "chunkserver "
          + setup.id()
          + " counts arriving bytes="
          + arriving
          + " waiting readers="
          + handler.waiting();
    }
    return null;
  }

  /** All chunks that are reported, by id. */
  public List<SeenChunk> look() {
    List<SeenChunk> seen = new ArrayList<>();
    for (Chunk chunk : chunks.list("")) {
      seen.add(look(chunk));
    }
    return seen;
  }

  private SeenChunk look(Chunk chunk) {
    ChunkSpec spec = chunk.spec();
    try {
      switch (chunk.state()) {
        case SORTED:
          SortedFile sorted = chunk.read();
          try {
            return look(spec, ChunkState.SORTED, sorted.segment(), (int) sorted.length());
          } finally {
            sorted.segment().release();
          }
        case STABLE:
          Chunk.Unsorted unsorted = chunk.beginSort();
          try {
            return look(spec, ChunkState.STABLE, unsorted.segment(), unsorted.length());
          } finally {
            unsorted.segment().release();
          }
        case OPEN:
          Segment segment = store.find(nameOf(spec, false)).orElseThrow();
          int position = (int) chunk.report().getStoredBytes();
          return look(spec, ChunkState.OPEN, segment, position);
        default:
          return new SeenChunk(spec.id(), spec.job(), chunk.state(), 0, Set.of());
      }
    } catch (FormatException | RequestRefusedException e) {
      throw new AssertionError("chunk cannot be read: " + spec.label(), e);
    }
  }

  /** Reads all bytes each time, and takes them apart when they are others than the last time. */
  private SeenChunk look(ChunkSpec spec, ChunkState state, Segment segment, int length)
      throws FormatException {
    ByteBuffer bytes = segment.buffer();
    int checksum = checksum(bytes, length);
    SeenChunk last = lastSeen.get(spec.id());
    if (last == null || last.state() != state || last.bytes() != checksum) {
      Set<HeldBlock> blocks =
          state == ChunkState.SORTED ? sources(bytes, length, spec.id()) : appended(bytes, length);
      last = new SeenChunk(spec.id(), spec.job(), state, checksum, blocks);
      lastSeen.put(spec.id(), last);
    }
    return last;
  }

  private String nameOf(ChunkSpec spec, boolean output) {
    String known = openNames.get(spec.id());
    if (!output && known != null && store.find(known).isPresent()) {
      return known;
    }
    for (String name : store.names()) {
      SegmentName parsed = SegmentName.parse(name);
      if (parsed.isOf(spec.job(), spec.id()) && parsed.output() == output) {
        if (!output) {
          openNames.put(spec.id(), name);
        }
        return name;
      }
    }
    throw new AssertionError("chunk has no segment: " + spec.label() + " output=" + output);
  }

  private static int checksum(ByteBuffer bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(0).limit(length));
    return (int) crc.getValue();
  }

  private static Set<HeldBlock> sources(ByteBuffer bytes, int length, long chunk)
      throws FormatException {
    ChunkTail tail = ChunkTail.read(bytes, length);
    Set<HeldBlock> blocks = new HashSet<>();
    for (int source = 0; source < tail.sources(); source++) {
      if (tail.sourceChunk(source, chunk) == chunk) {
        blocks.add(
            new HeldBlock(
                tail.sourceMap(source), tail.sourceAttempt(source), tail.sourceSequence(source)));
      }
    }
    return blocks;
  }

  /** A block that has arrived; not one that still arrives or was given up. */
  private static Optional<HeldBlock> whole(ByteBuffer bytes, int at, int limit) {
    try {
      PlacedBlock placed = PlacedBlock.read(bytes, at, limit);
      placed.checkStored(bytes);
      BlockHeader block = placed.header();
      return block.isVoid()
          ? Optional.empty()
          : Optional.of(new HeldBlock(block.map(), block.attempt(), block.sequence()));
    } catch (FormatException torn) {
      return Optional.empty();
    }
  }

  /** Whole blocks, from the chunk's header on. */
  private static Set<HeldBlock> appended(ByteBuffer bytes, int limit) throws FormatException {
    Set<HeldBlock> blocks = new HashSet<>();
    BlockCursor cursor = new BlockCursor(bytes, limit);
    int at = cursor.position();
    while (cursor.skipMarked()) {
      whole(bytes, at, limit).ifPresent(blocks::add);
      at = cursor.position();
    }
    return blocks;
  }
}

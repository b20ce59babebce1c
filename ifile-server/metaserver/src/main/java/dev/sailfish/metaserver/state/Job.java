package dev.sailfish.metaserver.state;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.metaserver.manifest.Manifest;
import dev.sailfish.metaserver.manifest.ManifestArena;
import dev.sailfish.metaserver.manifest.ManifestLimits;
import dev.sailfish.metaserver.manifest.ManifestMemory;
import dev.sailfish.metaserver.manifest.Manifests;
import dev.sailfish.metaserver.manifest.PackedManifest;
import dev.sailfish.metaserver.manifest.WinnerSums;
import dev.sailfish.metaserver.wire.SnapshotKept;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.SumWinnersResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job: its I-files and chunks, who is bound where, and the manifests. A job lives as long as
 * its lease ({@link Jobs}); if it asked for that, it is kept for a time when it has ended.
 */
public final class Job implements PackedManifest.Chunks {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final JobSpec spec;
  private long renewedMs;
  private final Map<Integer, List<Ifile>> ifiles = new TreeMap<>();
  private final Map<Long, ChunkInfo> chunksById = new HashMap<>();
  private final List<ChunkInfo> chunks = new ArrayList<>();
  private final TreeMap<AttemptId, SortedMap<Integer, ChunkInfo>> bindings = new TreeMap<>();
  private final Map<Integer, List<ChunkInfo>> chunksOfPartition = new HashMap<>();
  private final ManifestArena arena;
  private final JobHeap heap;
  private final Manifests manifests = new Manifests();
  private final Set<Integer> notRepeatable = new HashSet<>();
  private long rawBytes;
  private long countedBytes;
  private boolean complete;
  private SnapshotKept kept = SnapshotKept.getDefaultInstance();

  private final Freeze freeze;
  private int keptFor;
  private JobImage image;

  /**
   * @param memory for its manifests; {@link #release} gives it back
   * @param all what all jobs take in the heap; it counts there until {@link #release}
   */
  Job(JobSpec spec, ManifestMemory memory, JobHeap all, Freeze freeze, long nowMs) {
    this.spec = spec;
    this.arena = new ManifestArena(memory);
    this.heap = new JobHeap(all);
    this.freeze = freeze;
    this.keptFor = freeze.number();
    this.renewedMs = nowMs;
  }

  JobSpec spec() {
    return spec;
  }

  String name() {
    return spec.name();
  }

  void renew(long nowMs) {
    renewedMs = nowMs;
  }

  long renewedMs() {
    return renewedMs;
  }

  // ---- snapshots

  /** What a snapshot has of this is about to change. */
  private void changing() {
    if (freeze.concerns(keptFor)) {
      keptFor = freeze.number();
      image = new JobImage(this);
    }
  }

  /** A chunk is about to change. */
  void changing(ChunkInfo chunk) {
    changing();
    if (image != null) {
      image.keep(chunk);
    }
  }

  /** How this was when the snapshot began that is being written; once for each snapshot. */
  JobImage image() {
    changing();
    return image;
  }

  /** It is written, or not needed any more. */
  void forgetImage() {
    image = null;
  }

  // ---- keeping it when it has ended

  /** Whether reduce tasks name other winners than are known, and somebody will want to know. */
  boolean isNews(List<Integer> winners) {
    return spec.keepMs() > 0
        && !isKept()
        && !winners.isEmpty()
        && !winners.equals(kept.getWinnersList());
  }

  /** Takes note of all winners, as pairs (map, attempt). */
  void named(List<Integer> winners) {
    if (isNews(winners)) {
      restore(kept.toBuilder().clearWinners().addAllWinners(winners).build());
    }
  }

  /** The job has ended, and stays as it is until that time: nobody is bound any more. */
  void keep(long sinceMs, long untilMs) {
    for (AttemptId attempt : List.copyOf(bindings.keySet())) {
      unbindAll(attempt);
    }
    restore(kept.toBuilder().setSinceMs(sinceMs).setUntilMs(untilMs).build());
  }

  /** Whether it has ended and is kept. */
  boolean isKept() {
    return kept.getUntilMs() > 0;
  }

  /** What is known for keeping it. */
  SnapshotKept kept() {
    return kept;
  }

  /** Takes what is known for keeping it over. */
  void restore(SnapshotKept saved) {
    changing();
    kept = saved;
  }

  // ---- chunks

  /** The I-files of a partition, in the order in which their racks came up. */
  List<Ifile> ifiles(int partition) {
    return ifiles.getOrDefault(partition, List.of());
  }

  /** The chunk with this id, or null. */
  ChunkInfo chunk(long id) {
    return chunksById.get(id);
  }

  /** All chunks, in the order in which they were opened. */
  List<ChunkInfo> chunks() {
    return Collections.unmodifiableList(chunks);
  }

  ChunkInfo openChunk(int partition, long id, ServerInfo server) {
    return openChunk(partition, server.rack(), id, server);
  }

  /** Opens a chunk of the I-file of a rack in which its server is, or was when it was opened. */
  ChunkInfo openChunk(int partition, String rack, long id, ServerInfo server) {
    changing();
    List<ChunkInfo> ofPartition =
        chunksOfPartition.computeIfAbsent(partition, p -> new ArrayList<>(1));
    ChunkInfo chunk = ifile(partition, rack).open(id, ofPartition.size(), server);
    ofPartition.add(chunk);
    chunksById.put(id, chunk);
    chunks.add(chunk);
    heap.add(JobHeap.BYTES_PER_CHUNK);
    return chunk;
  }

  @Override
  public int number(int partition, long id) {
    ChunkInfo chunk = chunksById.get(id);
    return chunk == null || chunk.ifile().partition() != partition ? -1 : chunk.number();
  }

  @Override
  public long chunk(int partition, int number) {
    return chunksOfPartition.get(partition).get(number).id();
  }

  private Ifile ifile(int partition, String rack) {
    List<Ifile> ofPartition = ifiles.computeIfAbsent(partition, p -> new ArrayList<>(1));
    for (Ifile ifile : ofPartition) {
      if (ifile.rack().equals(rack)) {
        return ifile;
      }
    }
    Ifile ifile = new Ifile(this, partition, rack);
    ofPartition.add(ifile);
    return ifile;
  }

  /** Bytes that its chunks take, as far as is known; see {@link ChunkInfo}. */
  long countedBytes() {
    return countedBytes;
  }

  /** A chunk takes this many bytes more; negative when it takes less. */
  void grew(long bytes) {
    countedBytes += bytes;
  }

  // ---- bindings

  /** Where the attempt's appender of a partition is bound, or null. */
  ChunkInfo binding(AttemptId attempt, int partition) {
    SortedMap<Integer, ChunkInfo> bound = bindings.get(attempt);
    return bound == null ? null : bound.get(partition);
  }

  void bind(AttemptId attempt, int partition, ChunkInfo chunk) {
    chunk.bind();
    changeable(attempt).put(partition, chunk);
    heap.add(JobHeap.BYTES_PER_BINDING);
  }

  void unbind(AttemptId attempt, int partition) {
    SortedMap<Integer, ChunkInfo> bound = changeable(attempt);
    bound.remove(partition).unbind();
    heap.add(-JobHeap.BYTES_PER_BINDING);
    if (bound.isEmpty()) {
      unbindAll(attempt);
    }
  }

  /** The attempt's bindings, which no snapshot needs any more as they are. */
  private SortedMap<Integer, ChunkInfo> changeable(AttemptId attempt) {
    changing();
    SortedMap<Integer, ChunkInfo> bound = bindings.get(attempt);
    if (bound == null || (image != null && image.has(attempt, bound))) {
      heap.add(bound == null ? JobHeap.BYTES_PER_ATTEMPT : 0);
      bound = bound == null ? new TreeMap<>() : new TreeMap<>(bound);
      bindings.put(attempt, bound);
    }
    return bound;
  }

  /** Gives all bindings of an attempt back. */
  void unbindAll(AttemptId attempt) {
    changing();
    Map<Integer, ChunkInfo> bound = bindings.remove(attempt);
    if (bound != null) {
      bound.values().forEach(ChunkInfo::unbind);
      heap.add(-heapOf(bound));
    }
  }

  private static long heapOf(Map<Integer, ChunkInfo> bound) {
    return JobHeap.BYTES_PER_ATTEMPT + (long) JobHeap.BYTES_PER_BINDING * bound.size();
  }

  /** The attempts of a map that are bound; a view. */
  Set<AttemptId> bound(int map) {
    AttemptId first = new AttemptId(map, Integer.MIN_VALUE);
    return bindings.subMap(first, true, new AttemptId(map, Integer.MAX_VALUE), true).keySet();
  }

  /** How many appenders are bound. */
  int bindingCount() {
    return bindings.values().stream().mapToInt(Map::size).sum();
  }

  // ---- manifests

  /** What the attempt wrote, or null when it has not committed. */
  Manifest manifest(AttemptId attempt) {
    return manifests.find(attempt);
  }

  /**
   * The winners as reduce tasks last named them, if that is known; else of each map the attempt
   * that committed last.
   */
  Collection<AttemptId> winners() {
    List<Integer> named = kept.getWinnersList();
    if (named.isEmpty()) {
      return manifests.latest();
    }
    List<AttemptId> winners = new ArrayList<>(named.size() / 2);
    for (int i = 0; i < named.size(); i += 2) {
      winners.add(new AttemptId(named.get(i), named.get(i + 1)));
    }
    return winners;
  }

  /**
   * Adds up what winning attempts wrote, partition by partition.
   *
   * @param winners none: {@link #winners()}
   * @param from the first partition
   */
  SumWinnersResponse sum(List<AttemptId> winners, int from) {
    WinnerSums sums = new WinnerSums(from, spec.partitions());
    for (AttemptId winner : winners.isEmpty() ? winners() : winners) {
      sums.add(winner, manifests.find(winner));
    }
    return sums.response();
  }

  /**
   * Stores a manifest.
   *
   * @param limits of what manifests may take
   * @param allBytes what those of all jobs take
   * @param heapLimits of what jobs may take in the heap
   * @return false when it was stored before
   * @throws RequestRefusedException BAD_REQUEST when it names a partition or chunk that the job
   *     does not have, CONFLICT when the attempt committed another one, OVER_LIMIT
   */
  boolean commit(
      AttemptId attempt,
      List<PartitionManifest> told,
      ManifestLimits limits,
      long allBytes,
      HeapLimits heapLimits)
      throws RequestRefusedException {
    for (PartitionManifest partition : told) {
      checkPartition(partition.getPartition());
    }
    byte[] packed = PackedManifest.of(attempt, told, this, this::manifest);
    Manifest before = manifests.find(attempt);
    if (before != null) {
      if (before.sameAs(packed)) {
        return false;
      }
      throw new RequestRefusedException(
          Status.CONFLICT, "another manifest was committed: job=" + name() + " " + attempt);
    }
    limits.check(name(), arena.bytes(), arena.bytesWith(packed.length), allBytes);
    Map<Integer, ChunkInfo> bound = bindings.get(attempt);
    if (bound == null || heapOf(bound) < JobHeap.BYTES_PER_MANIFEST) {
      heapLimits.check(name(), heap, JobHeap.BYTES_PER_MANIFEST);
    }
    restore(attempt, packed);
    return true;
  }

  /**
   * When all of its maps have committed, has what is OPEN of its I-files sorted, once, while the
   * reducers are on their way; what maps append that run again later is sorted when readers wait.
   *
   * @param maps how many it has; 0 when that is not known
   */
  void completeWith(int maps) {
    if (!complete && maps > 0 && manifests.maps() >= maps) {
      complete = true;
      LOG.info("all maps have committed: job={} maps={}", name(), maps);
      for (ChunkInfo chunk : chunks) {
        if (chunk.state() == ChunkState.OPEN) {
          chunk.server().completeJob(name());
        }
      }
    }
  }

  /**
   * Adds the partitions whose blocks an earlier attempt of the same map has committed and that are
   * held, so that the attempt need not append them again. A server on which a reader has found one
   * of the job's chunks damaged may have damaged others: if the attempt counted on them, each that
   * turns out to be would make the map run once more, and the AM lets a map run four times.
   *
   * @return how many
   */
  int describeHeld(AttemptId attempt, CreateIfilesResponse.Builder response) {
    if (attempt.attempt() == 0) {
      return 0; // the usual case, which must not look at what all other maps have committed
    }
    Manifest before = manifests.before(attempt);
    if (before == null || notRepeatable.contains(attempt.map())) {
      return 0;
    }
    Set<ServerInfo> doubted = doubtedServers();
    before.forEach(
        entry -> {
          boolean held = true;
          for (ChunkBlocks blocks : entry.partition().getBlocksList()) {
            ChunkInfo chunk = chunksById.get(blocks.getChunk());
            held &= chunk.isTrusted() && !doubted.contains(chunk.server());
          }
          if (held) {
            response.addHeld(before.held(entry.partition()));
          }
        });
    return response.getHeldCount();
  }

  /** Servers on which a reader has found a chunk of the job unreadable; a new set. */
  Set<ServerInfo> doubtedServers() {
    Set<ServerInfo> servers = new HashSet<>();
    for (ChunkInfo chunk : chunks) {
      if (chunk.isSuspect()) {
        servers.add(chunk.server());
      }
    }
    return servers;
  }

  /** The map makes other records each time it runs. */
  void notRepeatable(int map) {
    changing();
    heap.add(notRepeatable.add(map) ? JobHeap.BYTES_PER_MAP : 0);
  }

  /** Whether that is known of the map. */
  boolean isNotRepeatable(int map) {
    return notRepeatable.contains(map);
  }

  /** Maps that make other records each time, ascending; a new set. */
  Set<Integer> notRepeatableMaps() {
    return new TreeSet<>(notRepeatable);
  }

  /** Takes a manifest over, as it is packed. */
  void restore(AttemptId attempt, byte[] packed) {
    changing();
    Manifest manifest = new Manifest(arena, this, attempt, packed);
    manifests.add(manifest);
    heap.add(JobHeap.BYTES_PER_MANIFEST);
    rawBytes += manifest.ownRawBytes();
  }

  /** The manifests, in the order in which they were committed. */
  List<Manifest> manifests() {
    return manifests.all();
  }

  /** What its manifests take, in bytes. */
  long manifestBytes() {
    return arena.bytes();
  }

  /** What it takes in the heap. */
  JobHeap heap() {
    return heap;
  }

  /** The job has ended: its manifests' memory is for others. */
  void release() {
    arena.release();
    heap.release();
  }

  /** Who is bound where: chunks by partition by attempt; a new map of maps that are not new. */
  SortedMap<AttemptId, SortedMap<Integer, ChunkInfo>> bindings() {
    return new TreeMap<>(bindings);
  }

  void checkPartition(int partition) throws RequestRefusedException {
    if (partition < 0 || partition >= spec.partitions()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "partition=%s is not in 0..%s: job=%s"
              .formatted(Integer.toUnsignedString(partition), spec.partitions() - 1, name()));
    }
  }

  JobSummary summary(long nowMs) {
    return JobSummary.newBuilder()
        .setJob(name())
        .setUser(spec.user())
        .setPartitions(spec.partitions())
        .setOrdering(spec.ordering().code())
        .setCodec(spec.codec().code())
        .setChunkBytes(spec.chunkBytes())
        .setChunks(chunks.size())
        .setManifests(manifests.all().size())
        .setRawBytes(rawBytes)
        .setEncrypted(spec.encrypted())
        .setKept(isKept())
        .setUntilCheckpointed(spec.untilCheckpointed())
        .setKeptLeftMs(Math.max(0, kept.getUntilMs() - nowMs))
        .setLeaseAgeMs(Math.max(0, nowMs - renewedMs))
        .build();
  }
}

package dev.sailfish.chunkserver.chunk;

import static java.util.stream.Collectors.toList;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.AppendRequest;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * All chunks of this server, by id and by job. Thread-safe: finding a chunk takes no lock; making
 * one and deleting a job exclude each other, so that no chunk outlives its job.
 */
public final class ChunkTable {
  private static final Comparator<Chunk> BY_ID =
      Comparator.comparingLong(chunk -> chunk.spec().id());

  /** One part of so many of the heap is for what is kept of the chunks' blocks. */
  private static final int HELD_PART = 3;

  private static final Consumer<Chunk> STOP_APPENDS =
      chunk -> chunk.stopAppends("all maps have committed");

  private final ChunkContext context;
  private final int maxChunks;
  private boolean draining;
  private volatile boolean used;
  private final Map<Long, Chunk> chunks = new ConcurrentHashMap<>();
  private final Map<String, JobChunks> jobs = new ConcurrentHashMap<>();
  private final Set<Chunk> changed = ConcurrentHashMap.newKeySet();
  // What forgetPast found the last time; the timer's.
  private Set<Chunk> empty = Set.of();
  private Set<String> ended = Set.of();
  // Late appends to these are refused.
  private final Map<String, Boolean> endedJobs = new Latest<>();
  private final Map<Long, Boolean> deletedChunks = new Latest<>();

  /** The last so many that were put in. */
  private static final class Latest<K> extends LinkedHashMap<K, Boolean> {
    private static final long serialVersionUID = 1L;
    private static final int MOST = 10_000;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, Boolean> eldest) {
      return size() > MOST;
    }
  }

  /**
   * @param sorts has the chunks sorted that become STABLE
   * @param maxChunks how many chunks there may be; each takes files and mappings
   * @param threadCpuNs CPU that the calling thread has used, in nanoseconds
   */
  public ChunkTable(
      Owner store,
      SortScheduler sorts,
      Metrics<ChunkserverMetric> metrics,
      int maxChunks,
      LongSupplier threadCpuNs) {
    HeldHeap heldHeap = new HeldHeap(Runtime.getRuntime().maxMemory() / HELD_PART);
    this.context = new ChunkContext(store, sorts, metrics, heldHeap, changed::add, threadCpuNs);
    this.maxChunks = maxChunks;
  }

  // ---- finding

  /**
   * The chunk that an append names; a new one when nobody named it before, or only appends of
   * another job that were refused.
   *
   * @throws RequestRefusedException when the job has ended, or the chunk is another I-file's;
   *     CHUNK_FULL when it holds blocks of another job, which then has named an id that was not its
   *     own
   */
  public Chunk forAppend(AppendRequest request) throws RequestRefusedException {
    markUsed();
    Chunk chunk = chunks.get(request.getChunk());
    if (chunk == null || givesWay(chunk, request.getJob())) {
      chunk = create(ChunkSpec.of(request));
    }
    ChunkSpec spec = chunk.spec();
    if (!spec.job().equals(request.getJob())) {
      throw new RequestRefusedException(
          Status.CHUNK_FULL,
          "chunk=%x is taken by another job than job=%s".formatted(spec.id(), request.getJob()));
    }
    chunk.job().touch();
    if (spec.partition() != request.getPartition()
        || spec.ordering().code() != request.getOrdering()
        || spec.codec().code() != request.getCodec()
        || spec.encrypted() != request.getEncrypted()) {
      throw new RequestRefusedException(
          Status.CONFLICT,
          ("chunk=%s is of another I-file than the append: %s append partition=%s ordering=%s"
                  + " codec=%s encrypted=%s")
              .formatted(
                  Long.toHexString(spec.id()),
                  spec,
                  request.getPartition(),
                  request.getOrdering(),
                  request.getCodec(),
                  request.getEncrypted()));
    }
    return chunk;
  }

  /** There was no room for the first block of a chunk: then the chunk is not kept either. */
  public void forgetIfEmpty(Chunk chunk) {
    if (chunk.deleteIfEmpty()) {
      remove(chunk);
    }
  }

  /** Whether the chunk was another job's, and is gone now because it never got a block. */
  private boolean givesWay(Chunk chunk, String job) {
    boolean gone = !chunk.spec().job().equals(job) && chunk.deleteIfEmpty();
    if (gone) {
      remove(chunk);
    }
    return gone;
  }

  private synchronized Chunk create(ChunkSpec spec) throws RequestRefusedException {
    Chunk existing = chunks.get(spec.id());
    if (existing != null) {
      return existing;
    }
    if (endedJobs.containsKey(spec.job())) {
      throw ended(spec.job());
    }
    if (deletedChunks.containsKey(spec.id())) {
      // What would be acknowledged here the metaserver would have deleted again.
      throw new RequestRefusedException(
          Status.CHUNK_FULL, spec.label() + " was deleted here: it was moved, or given up");
    }
    if (draining) {
      throw new RequestRefusedException(
          Status.CHUNK_FULL, spec.label() + " cannot begin: this server is drained");
    }
    if (chunks.size() >= maxChunks) {
      throw new RequestRefusedException(
          Status.NO_SPACE, spec.label() + " is one chunk too many: limit=" + maxChunks);
    }
    Chunk chunk = new Chunk(spec, jobOf(spec), context);
    put(chunk);
    return chunk;
  }

  private void put(Chunk chunk) {
    deletedChunks.remove(chunk.spec().id());
    chunk.job().chunks().add(chunk);
    chunks.put(chunk.spec().id(), chunk);
  }

  /** Adds a chunk that an earlier process left behind. */
  public synchronized void recover(RecoveredChunk found) {
    put(Chunk.recovered(found, jobOf(found.spec()), context));
  }

  /**
   * Adds a SORTED chunk that was copied from another server, and reports it. Chunks that are in the
   * same file are added too, so that it need not be copied for each; they are not reported, unless
   * the metaserver asks for them.
   *
   * @param id of the chunk that was asked for
   * @param segment with the file; belongs to the chunks from here on, if that succeeds
   * @return false when its job has ended meanwhile, or the chunk is here already
   * @throws FormatException when the chunk is not in the file
   */
  public synchronized boolean addCopy(long id, ChunkHeader header, ChunkTail tail, Segment segment)
      throws FormatException {
    if (endedJobs.containsKey(header.job()) || holds(id)) {
      return false;
    }
    List<RecoveredChunk> copies = RecoveredChunk.sorted(header, tail, segment, this::isMissing, id);
    if (copies.stream().noneMatch(copy -> copy.spec().id() == id)) {
      throw new CorruptFormatException("chunk=%x is not in the file of %s".formatted(id, header));
    }
    copies.forEach(this::recover);
    reportAgain(id);
    return true;
  }

  private boolean isMissing(long id) {
    return !holds(id);
  }

  /** Has a chunk reported with the next heartbeat; returns false when it is not here. */
  public boolean reportAgain(long id) {
    Chunk chunk = chunks.get(id);
    if (chunk != null) {
      chunk.want();
      changed.add(chunk);
    }
    return chunk != null;
  }

  /** The metaserver says whether this server is to leave: then nothing new begins here. */
  public void setDraining(boolean now) {
    synchronized (this) {
      if (now == draining) {
        return;
      }
      draining = now;
    }
    if (now) {
      chunks.values().forEach(chunk -> chunk.stopAppends("its server is drained"));
    }
  }

  /** All maps of a job have committed: what is OPEN of it is sorted, in the order of partitions. */
  public void completeJob(String job) {
    JobChunks complete = jobs.get(job);
    if (complete != null) {
      complete.chunks().stream()
          .sorted(BY_ID)
          .collect(Collectors.groupingBy(chunk -> chunk.spec().partition(), TreeMap::new, toList()))
          .values()
          .forEach(
              ofPartition -> context.sorts().together(() -> ofPartition.forEach(STOP_APPENDS)));
    }
  }

  private JobChunks jobOf(ChunkSpec spec) {
    return jobs.computeIfAbsent(spec.job(), JobChunks::new);
  }

  /** Whether there is a chunk with this id. */
  public boolean holds(long id) {
    return chunks.containsKey(id);
  }

  /**
   * The chunk that a reader names.
   *
   * @throws RequestRefusedException when it is not here, or not of that job
   */
  public Chunk forReader(String job, long id) throws RequestRefusedException {
    markUsed();
    Chunk chunk = chunks.get(id);
    if (chunk != null) {
      touch(chunk, job);
      return chunk;
    }
    if (hasEnded(job)) {
      throw ended(job);
    }
    throw new RequestRefusedException(
        Status.CHUNK_UNKNOWN,
        "job=" + job + " chunk=" + Long.toHexString(id) + " is not on this server");
  }

  private void markUsed() {
    if (!used) {
      used = true;
    }
  }

  /** Whether there is a chunk, or a client has asked for one since the start. */
  public boolean isUsed() {
    return used || !chunks.isEmpty();
  }

  /** A reader of that job asks for the chunk. */
  private static void touch(Chunk chunk, String job) throws RequestRefusedException {
    if (!chunk.spec().job().equals(job)) {
      throw new RequestRefusedException(
          Status.FORBIDDEN,
          "chunk=%x is another job's than job=%s".formatted(chunk.spec().id(), job));
    }
    chunk.job().touch();
  }

  private synchronized boolean hasEnded(String job) {
    return endedJobs.containsKey(job);
  }

  private static RequestRefusedException ended(String job) {
    return new RequestRefusedException(
        Status.JOB_UNKNOWN, "job=" + job + " has ended, its chunks are deleted");
  }

  /** The chunks of a job, or all when {@code job} is empty; by id. */
  public List<Chunk> list(String job) {
    Collection<Chunk> found = chunks.values();
    if (!job.isEmpty()) {
      JobChunks of = jobs.get(job);
      found = of == null ? List.of() : of.chunks();
    }
    return found.stream().filter(Chunk::isReportable).sorted(BY_ID).toList();
  }

  /** How many chunks are in each state. */
  public Map<ChunkState, Long> countByState() {
    return chunks.values().stream()
        .collect(Collectors.groupingBy(Chunk::state, Collectors.counting()));
  }

  // ---- deleting

  /** Ends a job: frees its chunks and refuses its appends from now on. */
  public void deleteJob(String job) {
    JobChunks of;
    synchronized (this) {
      endedJobs.put(job, Boolean.TRUE);
      of = jobs.remove(job);
      if (of == null) {
        return;
      }
      of.delete();
    }
    of.chunks().stream().sorted(BY_ID).forEach(this::delete);
  }

  /**
   * Deletes the chunks that were empty at the last call too: only appends that were refused named
   * them, so the metaserver does not know them and would never have them deleted. Forgets the jobs
   * that had ended at the last call: another job may have the name of one. Called by the timer.
   */
  public void forgetPast() {
    Set<Chunk> still = new HashSet<>();
    for (Chunk chunk : chunks.values()) {
      if (empty.contains(chunk) && chunk.deleteIfEmpty()) {
        remove(chunk);
      } else if (!chunk.isReportable()) {
        still.add(chunk);
      }
    }
    empty = still;
    synchronized (this) {
      endedJobs.keySet().removeAll(ended);
      ended = Set.copyOf(endedJobs.keySet());
    }
  }

  /**
   * Deletes one chunk, because the metaserver says so; late appends to it are refused. Nothing
   * happens when it is not here.
   */
  public void deleteChunk(long id) {
    Chunk chunk = chunks.get(id);
    if (chunk != null) {
      synchronized (this) {
        deletedChunks.put(id, Boolean.TRUE);
      }
      remove(chunk);
    }
  }

  private void remove(Chunk chunk) {
    delete(chunk);
    synchronized (this) {
      JobChunks job = chunk.job();
      job.chunks().remove(chunk);
      if (job.chunks().isEmpty()) {
        jobs.remove(job.job(), job);
      }
    }
  }

  /** First the chunk, then its entry: who still finds it is refused, and it is not made anew. */
  private void delete(Chunk chunk) {
    chunk.delete();
    chunks.remove(chunk.spec().id(), chunk);
    changed.remove(chunk);
  }

  // ---- for the metaserver

  /** Chunks that changed since this was asked last, by id. */
  public List<Chunk> takeChanged() {
    return changed.stream().filter(changed::remove).sorted(BY_ID).toList();
  }

  /** Jobs that a client asked for since this was asked last. */
  public List<String> takeActiveJobs() {
    return jobs.values().stream().filter(JobChunks::takeActive).map(JobChunks::job).toList();
  }
}

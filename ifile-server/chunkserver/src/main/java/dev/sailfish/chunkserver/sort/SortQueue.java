package dev.sailfish.chunkserver.sort;

import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.SortPlace;
import dev.sailfish.chunkserver.chunk.SortScheduler;
import dev.sailfish.chunksorter.Sorter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The order in which chunks are sorted.
 *
 * <pre>
 *   1. what readers wait for     the one that was asked for first comes first
 *   2. the rest                  the jobs take turns, a chunk each; of a job its lowest partition,
 *                                which is reduced first, and of that the chunk that came first
 *   put off                      no room, or no key yet: not until {@link #retry}
 * </pre>
 *
 * <p>A chunk whose first reader comes while it is in 2. goes to the end of 1.; nothing in 1. is
 * ever overtaken, so what is before it only shrinks. A chunk is here once at most, so the queue is
 * as long as there are chunks at most.
 *
 * <p>Small chunks of one I-file that come one after the other, and together are no larger than one
 * may be and have no more blocks, are taken together, to be sorted as one. Who comes joins only
 * what is in 2., and goes with it to 1.
 *
 * <p>Thread-safe; its monitor is held for some steps in maps, and nobody is called with it.
 */
public final class SortQueue implements SortScheduler {
  private static final Comparator<Entry> LOWEST_PARTITION =
      Comparator.comparingInt((Entry entry) -> entry.first().spec().partition())
          .thenComparingLong(entry -> entry.number);

  private final Map<Chunk, Entry> entries = new HashMap<>();
  private final Deque<Entry> awaited = new ArrayDeque<>();
  private final Map<String, NavigableSet<Entry>> byJob = new LinkedHashMap<>();
  private final List<Entry> running = new ArrayList<>();
  private final Deque<Part> putOff = new ArrayDeque<>();
  private int runningChunks;
  private int holds;
  private long added;
  private long queuedBytes;
  // Of all that was ever in the first line, and of what has left it.
  private long awaitedChunks;
  private long awaitedBytes;
  private long begunChunks;
  private long begunBytes;

  /** A chunk, and how many bytes it has as it is and before compression, and how many blocks. */
  private record Part(Chunk chunk, long bytes, long rawBytes, int blocks) {}

  /** A chunk in the queue or in a sorter's hands, or some that are sorted as one. */
  private static final class Entry {
    private final List<Part> parts = new ArrayList<>(1);
    private final long number;
    private long bytes;
    private long rawBytes;
    private int blocks;
    private boolean isAwaited;
    private long chunksBefore;
    private long bytesBefore;
    private Sorter sorter;

    Entry(Part part, long number) {
      this.number = number;
      add(part);
    }

    Chunk first() {
      return parts.get(0).chunk;
    }

    private void add(Part part) {
      parts.add(part);
      bytes += part.bytes;
      rawBytes += part.rawBytes;
      blocks += part.blocks;
    }

    /** Whether a chunk may be sorted as one with these. */
    private boolean takes(Part part) {
      ChunkSpec spec = part.chunk.spec();
      return spec.sortsWith(first().spec())
          && Math.min(rawBytes, part.rawBytes) > 0
          && blocks + part.blocks <= ChunkSpec.MAX_BLOCKS
          && rawBytes + part.rawBytes <= Math.max(spec.chunkBytes(), first().spec().chunkBytes());
    }

    /** A sorter is through with a chunk. */
    private Part remove(Chunk chunk) {
      Part part = parts.stream().filter(p -> p.chunk == chunk).findFirst().orElseThrow();
      parts.remove(part);
      bytes -= part.bytes;
      return part;
    }

    long sortedBytes() {
      return sorter == null ? 0 : Math.min(sorter.writtenBytes(), bytes);
    }
  }

  @Override
  public void schedule(Chunk chunk) {
    add(chunk, chunk.storedBytes(), chunk.rawBytes(), chunk.isAwaited());
  }

  @Override
  public void together(Runnable closing) {
    synchronized (this) {
      holds++;
    }
    try {
      closing.run();
    } finally {
      synchronized (this) {
        holds--;
        notifyAll();
      }
    }
  }

  /**
   * Adds a chunk, unless it is here.
   *
   * @param bytes that it has
   * @param rawBytes of its blocks, before compression
   * @param isAwaited whether a reader waits for it, or has waited
   */
  void add(Chunk chunk, long bytes, long rawBytes, boolean isAwaited) {
    // The chunk's lock is never taken with this one held.
    addPart(new Part(chunk, bytes, rawBytes, chunk.blocks()), isAwaited);
  }

  private synchronized void addPart(Part part, boolean isAwaited) {
    if (!entries.containsKey(part.chunk)) {
      addNew(part, isAwaited);
      notifyAll();
    }
  }

  private void addNew(Part part, boolean isAwaited) {
    Entry entry = new Entry(part, added++);
    Entry mate = before(entry);
    if (mate != null && mate.takes(part)) {
      mate.add(part);
      entry = mate;
    } else if (!isAwaited) {
      byJob
          .computeIfAbsent(part.chunk.spec().job(), job -> new TreeSet<>(LOWEST_PARTITION))
          .add(entry);
    }
    entries.put(part.chunk, entry);
    queuedBytes += part.bytes;
    if (isAwaited) {
      removeOfJob(entry);
      addAwaited(entry);
    }
  }

  /** What is in 2. of the same job before it, or null; may be of another partition. */
  private Entry before(Entry entry) {
    NavigableSet<Entry> ofJob = byJob.get(entry.first().spec().job());
    return ofJob == null ? null : ofJob.floor(entry);
  }

  private void removeOfJob(Entry entry) {
    String job = entry.first().spec().job();
    NavigableSet<Entry> ofJob = byJob.get(job);
    if (ofJob != null && ofJob.remove(entry) && ofJob.isEmpty()) {
      byJob.remove(job);
    }
  }

  private void addAwaited(Entry entry) {
    entry.isAwaited = true;
    entry.chunksBefore = awaitedChunks;
    entry.bytesBefore = awaitedBytes;
    awaitedChunks += entry.parts.size();
    awaitedBytes += entry.bytes;
    awaited.add(entry);
  }

  @Override
  public synchronized void await(Chunk chunk) {
    Entry entry = entries.get(chunk);
    if (entry != null && !entry.isAwaited && entry.sorter == null) {
      removeOfJob(entry);
      addAwaited(entry);
    }
  }

  /**
   * Takes the chunk that is next, or several that are to be sorted as one, and waits until there is
   * one. Each is with that sorter until {@link #done} or {@link #putOff}.
   */
  synchronized List<Chunk> take(Sorter sorter) throws InterruptedException {
    List<Chunk> next = poll(sorter);
    while (next.isEmpty()) {
      wait();
      next = poll(sorter);
    }
    return next;
  }

  /** The same without waiting; empty when there is none. */
  synchronized List<Chunk> poll(Sorter sorter) {
    if (holds > 0) {
      return List.of();
    }
    Entry entry = awaited.isEmpty() ? nextOfJobs() : awaited.poll();
    if (entry == null) {
      return List.of();
    }
    if (entry.isAwaited) {
      begunChunks += entry.parts.size();
      begunBytes += entry.bytes;
    }
    queuedBytes -= entry.bytes;
    entry.sorter = sorter;
    running.add(entry);
    runningChunks += entry.parts.size();
    return entry.parts.stream().map(Part::chunk).toList();
  }

  /** The first chunk of the job whose turn it is; that job is the last one then. */
  private Entry nextOfJobs() {
    Iterator<Map.Entry<String, NavigableSet<Entry>>> jobs = byJob.entrySet().iterator();
    if (!jobs.hasNext()) {
      return null;
    }
    Map.Entry<String, NavigableSet<Entry>> turn = jobs.next();
    String job = turn.getKey();
    NavigableSet<Entry> ofJob = turn.getValue();
    jobs.remove();
    Entry entry = ofJob.pollFirst();
    if (!ofJob.isEmpty()) {
      byJob.put(job, ofJob);
    }
    return entry;
  }

  /** A sorter is through with a chunk. */
  synchronized void done(Chunk chunk) {
    end(chunk);
  }

  private Part end(Chunk chunk) {
    Entry entry = entries.remove(chunk);
    Part part = entry.remove(chunk);
    runningChunks--;
    if (entry.parts.isEmpty()) {
      running.remove(entry);
    }
    return part;
  }

  /** A sorter has found no room or no key for a chunk. */
  synchronized void putOff(Chunk chunk) {
    putOff.add(end(chunk));
  }

  @Override
  public synchronized void retry() {
    for (Part part = putOff.poll(); part != null; part = putOff.poll()) {
      addPart(part, part.chunk.isAwaited());
    }
  }

  @Override
  public synchronized SortPlace placeOf(Chunk chunk) {
    Entry entry = entries.get(chunk);
    if (entry == null) {
      return null;
    }
    if (entry.sorter != null) {
      return new SortPlace(0, 0, entry.bytes, entry.sortedBytes());
    }
    // Who has no reader yet would come behind all that have one.
    long chunksAhead = entry.isAwaited ? entry.chunksBefore : awaitedChunks;
    long bytesAhead = (entry.isAwaited ? entry.bytesBefore : awaitedBytes) - begunBytes;
    for (Entry other : running) {
      bytesAhead += other.bytes - other.sortedBytes();
    }
    int chunks = (int) (chunksAhead - begunChunks) + runningChunks;
    return new SortPlace(chunks, bytesAhead, entry.bytes, 0);
  }

  /** Chunks that wait for a sorter, for room or for a key. */
  public synchronized int size() {
    return entries.size() - runningChunks + putOff.size();
  }

  /** Of these, chunks that wait for a sorter and that readers wait for. */
  public synchronized int awaited() {
    return awaited.stream().mapToInt(entry -> entry.parts.size()).sum();
  }

  /** Of these, chunks that wait for room or for a key. */
  public synchronized int putOff() {
    return putOff.size();
  }

  /** Bytes of the chunks that wait for a sorter. */
  public synchronized long bytes() {
    return queuedBytes;
  }

  /** Forgets what waits. */
  synchronized void clear() {
    entries.values().removeIf(entry -> entry.sorter == null);
    awaited.clear();
    byJob.clear();
    putOff.clear();
    queuedBytes = 0;
  }
}

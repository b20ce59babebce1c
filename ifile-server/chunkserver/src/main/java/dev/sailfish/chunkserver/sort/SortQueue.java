package dev.sailfish.chunkserver.sort;

import dev.sailfish.chunkserver.chunk.Chunk;
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
 * <p>Thread-safe; its monitor is held for some steps in maps, and nobody is called with it.
 */
public final class SortQueue implements SortScheduler {
  private static final Comparator<Entry> LOWEST_PARTITION =
      Comparator.comparingInt((Entry entry) -> entry.chunk.spec().partition())
          .thenComparingLong(entry -> entry.number);

  private final Map<Chunk, Entry> entries = new HashMap<>();
  private final Deque<Entry> awaited = new ArrayDeque<>();
  private final Map<String, NavigableSet<Entry>> byJob = new LinkedHashMap<>();
  private final List<Entry> running = new ArrayList<>();
  private final Deque<Entry> putOff = new ArrayDeque<>();
  private long added;
  private long queuedBytes;
  // Of all that was ever in the first line, and of what has left it.
  private long awaitedChunks;
  private long awaitedBytes;
  private long begunChunks;
  private long begunBytes;

  /** A chunk in the queue, or in a sorter's hands. */
  private static final class Entry {
    private final Chunk chunk;
    private final long bytes;
    private final long number;
    private boolean isAwaited;
    private long chunksBefore;
    private long bytesBefore;
    private Sorter sorter;

    Entry(Chunk chunk, long bytes, long number) {
      this.chunk = chunk;
      this.bytes = bytes;
      this.number = number;
    }

    long sortedBytes() {
      return sorter == null ? 0 : Math.min(sorter.writtenBytes(), bytes);
    }
  }

  @Override
  public void schedule(Chunk chunk) {
    add(chunk, chunk.storedBytes(), chunk.isAwaited());
  }

  /**
   * Adds a chunk, unless it is here.
   *
   * @param bytes that it has
   * @param isAwaited whether a reader waits for it, or has waited
   */
  synchronized void add(Chunk chunk, long bytes, boolean isAwaited) {
    if (entries.containsKey(chunk)) {
      return;
    }
    Entry entry = new Entry(chunk, bytes, added++);
    entries.put(chunk, entry);
    queuedBytes += bytes;
    if (isAwaited) {
      addAwaited(entry);
    } else {
      byJob.computeIfAbsent(chunk.spec().job(), job -> new TreeSet<>(LOWEST_PARTITION)).add(entry);
    }
    notifyAll();
  }

  private void addAwaited(Entry entry) {
    entry.isAwaited = true;
    entry.chunksBefore = awaitedChunks;
    entry.bytesBefore = awaitedBytes;
    awaitedChunks++;
    awaitedBytes += entry.bytes;
    awaited.add(entry);
  }

  @Override
  public synchronized void await(Chunk chunk) {
    Entry entry = entries.get(chunk);
    if (entry == null || entry.isAwaited || entry.sorter != null) {
      return;
    }
    String job = chunk.spec().job();
    NavigableSet<Entry> ofJob = byJob.get(job);
    ofJob.remove(entry);
    if (ofJob.isEmpty()) {
      byJob.remove(job);
    }
    addAwaited(entry);
  }

  /**
   * Takes the chunk that is next, and waits until there is one. It is with that sorter until {@link
   * #done} or {@link #putOff}.
   */
  synchronized Chunk take(Sorter sorter) throws InterruptedException {
    Chunk next = poll(sorter);
    while (next == null) {
      wait();
      next = poll(sorter);
    }
    return next;
  }

  /** The same without waiting; null when there is none. */
  synchronized Chunk poll(Sorter sorter) {
    Entry entry = awaited.isEmpty() ? nextOfJobs() : awaited.poll();
    if (entry == null) {
      return null;
    }
    if (entry.isAwaited) {
      begunChunks++;
      begunBytes += entry.bytes;
    }
    queuedBytes -= entry.bytes;
    entry.sorter = sorter;
    running.add(entry);
    return entry.chunk;
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
    running.remove(entries.remove(chunk));
  }

  /** A sorter has found no room or no key for a chunk. */
  synchronized void putOff(Chunk chunk) {
    putOff.add(entries.get(chunk));
    done(chunk);
  }

  @Override
  public synchronized void retry() {
    for (Entry entry = putOff.poll(); entry != null; entry = putOff.poll()) {
      add(entry.chunk, entry.bytes, entry.chunk.isAwaited());
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
    int chunks = (int) (chunksAhead - begunChunks) + running.size();
    return new SortPlace(chunks, bytesAhead, entry.bytes, 0);
  }

  /** Chunks that wait for a sorter, for room or for a key. */
  public synchronized int size() {
    return entries.size() - running.size() + putOff.size();
  }

  /** Of these, chunks that wait for a sorter and that readers wait for. */
  public synchronized int awaited() {
    return awaited.size();
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

package dev.sailfish.chunkserver.sort;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.SegmentName;
import dev.sailfish.chunkserver.chunk.SegmentRoom;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.Sorter;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that sort chunks, in the order of {@link SortQueue}. A sort that finds no room for
 * its output writes over the chunk; one that finds no room for that either is put aside until
 * something was freed, and one that needs a key which is not here yet until the metaserver has
 * given it.
 */
public final class SorterPool implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(SorterPool.class);
  private static final int SEEKS_PER_SORT = 2; // the chunk is read once and written once
  private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(30);

  private final DataKeys keys;
  private final Owner store;
  private final Metrics<ChunkserverMetric> metrics;
  private final InPlaceSort inPlace = new InPlaceSort();
  private final SortQueue queue = new SortQueue();
  private final Queue<Delayed> delayed = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  /** A sort that is put off, of so many bytes. */
  private record Delayed(Chunk chunk, long bytes) {}

  /**
   * @param threads how many chunks are sorted at a time; with 0, {@link #sortNext} does all
   * @param sorters gives each thread its sorter, whose memory is used once per thread
   * @param keys of encrypted chunks
   */
  public SorterPool(
      int threads,
      Supplier<? extends Sorter> sorters,
      DataKeys keys,
      Owner store,
      Metrics<ChunkserverMetric> metrics) {
    this.keys = keys;
    this.store = store;
    this.metrics = metrics;
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> run(sorters.get()), "chunksorter-" + i);
      thread.setDaemon(true);
      this.threads.add(thread);
    }
  }

  public void start() {
    threads.forEach(Thread::start);
  }

  /** Queues a STABLE chunk; never waits. */
  public void submit(Chunk chunk) {
    queue.add(chunk, chunk.storedBytes(), chunk.isAwaited());
  }

  /** A reader waits for a chunk, STABLE or not yet; never waits. */
  public void await(Chunk chunk) {
    queue.await(chunk);
  }

  /** Where a chunk is in the queue; null when it is not there. */
  public SortPlace placeOf(Chunk chunk) {
    return queue.placeOf(chunk);
  }

  /** Queues the sorts again that found no room; never waits. */
  public void retryDelayed() {
    for (Delayed sort = delayed.poll(); sort != null; sort = delayed.poll()) {
      queue.add(sort.chunk(), sort.bytes(), sort.chunk().isAwaited());
    }
  }

  /** Sorts that wait for a thread or for room. */
  public int waiting() {
    return queue.size() + delayed.size();
  }

  /** Sorts that wait for a thread and that readers wait for. */
  public int awaited() {
    return queue.awaited();
  }

  /** Bytes of the chunks that wait for a thread. */
  public long waitingBytes() {
    return queue.bytes();
  }

  /** Sorts that wait for room or for a key. */
  public int putOff() {
    return delayed.size();
  }

  private void run(Sorter sorter) {
    while (!closed) {
      try {
        sort(sorter, queue.take(sorter));
      } catch (InterruptedException e) {
        LOG.debug("{} was interrupted, closed={}", Thread.currentThread().getName(), closed);
      }
    }
  }

  /**
   * Does on the caller's thread what a thread of the pool does again and again: sorts the chunk
   * that is next.
   *
   * @return false when none is queued
   */
  public boolean sortNext(Sorter sorter) {
    Chunk chunk = queue.poll(sorter);
    if (chunk != null) {
      sort(sorter, chunk);
    }
    return chunk != null;
  }

  private void sort(Sorter sorter, Chunk chunk) {
    Chunk.Unsorted unsorted = chunk.beginSort();
    boolean again = false;
    try {
      again = unsorted != null && !sort(sorter, chunk, unsorted);
    } finally {
      queue.done(chunk);
      if (again) {
        delayed.add(new Delayed(chunk, unsorted.length()));
      }
    }
  }

  /** Returns false when the sort has to be put off. */
  private boolean sort(Sorter sorter, Chunk chunk, Chunk.Unsorted unsorted) {
    try {
      byte[] key = null;
      if (chunk.spec().needsKey()) {
        key = keys.dataKey(chunk.spec().job(), new Retry(chunk));
        if (key == null) {
          return false;
        }
      }
      long start = System.nanoTime();
      SortResult result =
          chunk.spec().ordering() == Ordering.COMPARATOR
              ? indexInPlace(sorter, chunk, unsorted)
              : sortAway(sorter, chunk, unsorted, key);
      metrics.add(ChunkserverMetric.SEEKS, SEEKS_PER_SORT);
      metrics.observe(ChunkserverMetric.SORT_SECONDS, System.nanoTime() - start);
      metrics.add(ChunkserverMetric.SORTED_RAW_BYTES, result.rawBytes());
      metrics.add(ChunkserverMetric.SORTED_RECORDS, result.records());
    } catch (RequestRefusedException e) {
      delay(chunk, e.getMessage());
      return false;
    } catch (FormatException e) {
      lose(chunk, "its bytes are damaged: " + e.getMessage());
    } catch (RuntimeException | VirtualMachineError e) {
      // A defect, or memory that ran out: this chunk is lost, the next ones need not be.
      LOG.error("{} sort failed", chunk.spec().label(), e);
      lose(chunk, "its sort failed: " + e);
    } finally {
      unsorted.segment().release();
    }
    return true;
  }

  private SortResult indexInPlace(Sorter sorter, Chunk chunk, Chunk.Unsorted unsorted)
      throws FormatException {
    ByteBuffer bytes = unsorted.segment().buffer();
    SortResult result = sorter.index(bytes, unsorted.length(), bytes);
    chunk.endSort(unsorted.segment(), result);
    return result;
  }

  private SortResult sortAway(Sorter sorter, Chunk chunk, Chunk.Unsorted unsorted, byte[] key)
      throws FormatException, RequestRefusedException {
    ByteBuffer bytes = unsorted.segment().buffer();
    long bound = ChunkSorter.maxSortedLength(bytes, unsorted.length());
    DataCipher cipher = key == null ? null : new DataCipher(key);
    ChunkSpec spec = chunk.spec();
    Segment output;
    try {
      String name = SegmentName.forOutput(spec.job(), spec.id());
      output = SegmentRoom.allocate(store, name, spec.segmentCapacity(bound), bound);
    } catch (RequestRefusedException noRoom) {
      SortResult result =
          inPlace.sort(sorter, chunk, unsorted, cipher, bound).orElseThrow(() -> noRoom);
      metrics.increment(ChunkserverMetric.IN_PLACE_SORTS);
      LOG.info("{} was sorted in place: {}", spec.label(), noRoom.getMessage());
      return result;
    }
    inPlace.rest();
    boolean handedOver = false;
    try {
      SortResult result = sorter.sort(bytes, unsorted.length(), output.buffer(), cipher);
      handedOver = true;
      chunk.endSort(output, result);
      return result;
    } finally {
      if (!handedOver) {
        output.delete();
      }
    }
  }

  /** Sorts again what has waited for a key, or has readers told why there is none. */
  private final class Retry implements Authenticator.Answer {
    private final Chunk chunk;

    Retry(Chunk chunk) {
      this.chunk = chunk;
    }

    @Override
    public void found(Principal principal, byte[] unused) {
      retryDelayed();
    }

    @Override
    public void introduce() {
      refused(Status.JOB_UNKNOWN, "the metaserver has no key of it");
    }

    @Override
    public void refused(Status status, String message) {
      if (chunk.delaySort("its sort waits for the job's key: " + message)) {
        LOG.warn("{} sort waits for the job's key: {}", chunk.spec().label(), message);
      }
    }
  }

  private void delay(Chunk chunk, String why) {
    metrics.increment(ChunkserverMetric.DELAYED_SORTS);
    if (chunk.delaySort("its sort waits for room: " + why)) {
      LOG.warn("{} sort is put off: {}", chunk.spec().label(), why);
    }
  }

  private void lose(Chunk chunk, String why) {
    metrics.increment(ChunkserverMetric.LOSSES);
    chunk.lose(why);
  }

  /** Lets the running sorts end, up to a deadline, and forgets the queued ones. */
  @Override
  public void close() {
    closed = true;
    queue.clear();
    delayed.clear();
    long end = System.nanoTime() + CLOSE_DEADLINE.toNanos();
    for (Thread thread : threads) {
      thread.interrupt();
      try {
        thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      if (thread.isAlive()) {
        LOG.warn("{} did not end in {} s", thread.getName(), CLOSE_DEADLINE.toSeconds());
      }
    }
  }
}

package dev.sailfish.chunkserver.sort;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.SegmentName;
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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that sort chunks, in the order of {@link SortQueue}. A sort that finds no room for
 * its output writes over the chunk; one that finds no room for that either is put off until
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
  private final CombinedSort together;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

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
    this.together = new CombinedSort(keys, store, metrics);
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> run(sorters.get()), "chunksorter-" + i);
      thread.setDaemon(true);
      this.threads.add(thread);
    }
  }

  public void start() {
    threads.forEach(Thread::start);
  }

  /** What is to be sorted, and when. */
  public SortQueue queue() {
    return queue;
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

  /** Does on the caller's thread what a thread of the pool does: sorts the next chunk, if any. */
  public void sortNext(Sorter sorter) {
    sort(sorter, queue.poll(sorter));
  }

  /** Sorts chunks as one, or else one by one: what is wrong with one is not the others' matter. */
  private void sort(Sorter sorter, List<Chunk> chunks) {
    if (chunks.size() > 1 && together.sort(sorter, chunks)) {
      chunks.forEach(queue::done);
    } else {
      chunks.forEach(chunk -> sort(sorter, chunk));
    }
  }

  private void sort(Sorter sorter, Chunk chunk) {
    Chunk.Unsorted unsorted = chunk.beginSort();
    boolean sorted = true;
    try {
      sorted = unsorted == null || sort(sorter, chunk, unsorted);
    } finally {
      if (sorted) {
        queue.done(chunk);
      } else {
        queue.putOff(chunk);
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
      count(metrics, result, start);
    } catch (FormatException e) {
      lose(chunk, "its bytes are damaged: " + e.getMessage());
    } catch (IOException e) {
      metrics.increment(ChunkserverMetric.DELAYED_SORTS);
      if (chunk.delaySort("its sort waits for room: " + e.getMessage())) {
        LOG.warn("{} sort is put off: {}", chunk.spec().label(), e.getMessage());
      }
      return false;
    } catch (RuntimeException | VirtualMachineError e) {
      // A defect, or memory that ran out: this chunk is lost, the next ones need not be.
      LOG.error("{} sort failed", chunk.spec().label(), e);
      lose(chunk, "its sort failed: " + e);
    } finally {
      unsorted.segment().release();
    }
    return true;
  }

  /** Counts a sort that has ended now. */
  static void count(Metrics<ChunkserverMetric> metrics, SortResult result, long startNanos) {
    metrics.observe(ChunkserverMetric.SORT_SECONDS, System.nanoTime() - startNanos);
    metrics.add(ChunkserverMetric.SORTED_RAW_BYTES, result.rawBytes());
    metrics.add(ChunkserverMetric.SORTED_RECORDS, result.records());
  }

  private SortResult indexInPlace(Sorter sorter, Chunk chunk, Chunk.Unsorted unsorted)
      throws FormatException {
    ByteBuffer bytes = unsorted.segment().buffer();
    SortResult result = sorter.index(bytes, unsorted.length(), bytes);
    chunk.endSort(unsorted.segment(), result, null);
    return result;
  }

  /**
   * Sorts to another segment, or else in place.
   *
   * @throws NoSpaceException when there is room for neither
   * @throws RequestRefusedException when there is no memory to sort it in place
   */
  private SortResult sortAway(Sorter sorter, Chunk chunk, Chunk.Unsorted unsorted, byte[] key)
      throws FormatException, NoSpaceException, RequestRefusedException {
    ByteBuffer bytes = unsorted.segment().buffer();
    long bound = ChunkSorter.maxSortedLength(bytes, unsorted.length());
    DataCipher cipher = key == null ? null : new DataCipher(key);
    ChunkSpec spec = chunk.spec();
    Segment output;
    try {
      String name = SegmentName.forOutput(spec.job(), spec.id());
      output = store.allocate(name, spec.segmentCapacity(bound), bound, Tier.MEMORY);
    } catch (NoSpaceException noRoom) {
      SortResult result = inPlace.sort(sorter, chunk, unsorted, cipher, bound);
      if (result == null) {
        throw noRoom;
      }
      metrics.increment(ChunkserverMetric.IN_PLACE_SORTS);
      LOG.info("{} was sorted in place: {}", spec.label(), noRoom.getMessage());
      return result;
    }
    inPlace.rest();
    boolean handedOver = false;
    try {
      SortResult result = sorter.sort(bytes, unsorted.length(), output.buffer(), cipher);
      handedOver = true;
      chunk.endSort(output, result, null);
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
      queue.retry();
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

  private void lose(Chunk chunk, String why) {
    metrics.increment(ChunkserverMetric.LOSSES);
    chunk.lose(why);
  }

  /** Lets the running sorts end, up to a deadline, and forgets the queued ones. */
  @Override
  public void close() {
    closed = true;
    queue.clear();
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

package dev.sailfish.imerger;

import dev.sailfish.format.RecordChecksum;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.imerger.fetch.MetaserverCalls;
import dev.sailfish.imerger.fetch.ReadLinks;
import dev.sailfish.imerger.merge.BlockDecoder;
import dev.sailfish.imerger.merge.ExternalMerge;
import dev.sailfish.imerger.merge.RunCursor;
import dev.sailfish.imerger.merge.RunMerge;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.SlowServerException;
import dev.sailfish.protocol.client.SortWait;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads one partition of a job: every record of the winning map attempts once, and no other, in the
 * order of the keys, records with equal keys in the order (map, emission), whatever chunks and
 * blocks they came in.
 *
 * <pre>
 *   open ──▶ prefetch* ──▶ start ──▶ next* ──▶ close
 *                            │ LostBlocksException: again with new winners
 *                            └───▶ start
 * </pre>
 *
 * <p>At the end the number, the bytes and the order-independent checksum of the records delivered
 * are compared with what the manifests promise; a difference is an IOException, never a shorter
 * answer. Every wait ends at the deadline of the configuration, which a chunkserver that is still
 * sorting renews as long as it advances ({@link SortWait}); an interrupted thread leaves with an
 * InterruptedIOException. For one thread; no thread of its own: what was requested ahead is read
 * when it is needed.
 */
public final class Imerger implements Closeable {
  private static final Duration PREFETCH_PATIENCE = Duration.ofSeconds(5);

  private final KeyOrder order;
  private final MetaserverCalls metaserver;
  private final ReadLinks links;
  private final ExternalMerge external;
  private final MergeStatistics statistics;
  private final ChunkSet chunkSet;
  private List<SortedChunk> chunks = new ArrayList<>();
  private RunMerge merge;
  private boolean ended;
  private boolean closed;
  private RangeFilter filter;
  private boolean promised;
  private RunCursor current;
  private int keyOffset;
  private int keyLength;

  /**
   * What the winners' manifests promise; nothing before the start, or when all attempts are read.
   */
  private AcceptedBlocks accepted = new AcceptedBlocks(0);

  // What was delivered of it: bytes of keys, as they are stored, and values, and the checksum.
  private final RecordChecksum checksums = new RecordChecksum();
  private long recordBytes;
  private long checksum;

  private Imerger(ImergerConfig config, String job, int partition, KeyOrder order, String caller) {
    this.order = order;
    metaserver = new MetaserverCalls(config, job, partition, caller);
    links = new ReadLinks(config, metaserver);
    BlockDecoder decoder = new BlockDecoder(metaserver, config.memoryBytes());
    external = new ExternalMerge(config.spillDirectory(), order, decoder);
    statistics = new MergeStatistics(links, external);
    chunkSet = new ChunkSet(links, metaserver, decoder, order, statistics);
  }

  /**
   * Makes an imerger; no server is asked yet.
   *
   * @param order of the job's keys; its comparator, if any, is called in {@link #start} and {@link
   *     #next}
   * @param caller who reads, for the servers' logs
   */
  public static Imerger open(
      ImergerConfig config, String job, int partition, KeyOrder order, String caller) {
    return new Imerger(config, job, partition, order, caller);
  }

  /**
   * Fetches what is sorted already while maps still run: indexes, and leading blocks in at most
   * half of the memory. Makes no chunk stable, and never changes what is delivered. May be called
   * any number of times before {@link #start}.
   *
   * @param winners pairs (map, attempt) of the maps that have a winner by now
   * @throws IOException when the metaserver refuses; a server that does not answer is counted in
   *     {@link MergeStatistics#prefetchFailures} and asked again later
   */
  public void prefetch(int[] winners) throws IOException {
    checkWinners(winners);
    if (closed || merge != null) {
      throw new IllegalStateException("prefetch after start or close: closed=" + closed);
    }
    links.restart(PREFETCH_PATIENCE);
    PlanPartitionResponse plan = metaserver.planSoFar(winners, order.ordering(), PREFETCH_PATIENCE);
    if (plan == null) {
      statistics.prefetchFailures++;
      return;
    }
    AcceptedBlocks known = AcceptedBlocks.of(plan);
    List<SortedChunk> sorted = new ArrayList<>();
    for (int i = 0; i < plan.getChunksCount(); i++) {
      ChunkLocation location = plan.getChunks(i);
      if (location.getState() == ChunkState.SORTED.code()
          && known.blocksIn(location.getChunk()) > 0) {
        sorted.add(chunkSet.locate(location.getChunk(), location.getHost(), location.getPort()));
      }
    }
    long before = links.bytesFetched();
    try {
      List<SortedChunk> files = chunkSet.awaitSorted(sorted, false);
      for (SortedChunk chunk : files) {
        chunk.readAhead(known);
      }
      for (SortedChunk chunk : files) {
        chunk.awaitPrefetched();
      }
    } catch (IOException e) {
      Clock.checkInterrupt("prefetching");
      statistics.prefetchFailures++;
      links.close();
      chunkSet.forgetWindows();
    }
    statistics.prefetchedBytes += links.bytesFetched() - before;
  }

  /**
   * Begins the merge: plans it with the metaserver, waits until the chunks are sorted, checks that
   * they hold what the manifests promise, and reads the first record of each run.
   *
   * @param winners pairs (map, attempt), one for each map of the job
   * @throws LostBlocksException when blocks that count are gone; names all that is known to be
   *     lost. May be called again then
   * @throws SlowServerException when a server that lives has not sorted a chunk, and has not
   *     advanced for the deadline or takes {@link SortWait#MOST_PATIENCES} times as long; nothing
   *     is lost
   */
  public void start(int[] winners) throws IOException {
    start(winners, null);
  }

  /**
   * The same for the records whose keys are in a range, which is whole groups. Of each run only the
   * blocks are read that may hold such keys, as far as the index has their first keys.
   *
   * <p>What is checked, since no manifest tells what a range holds: that the chunks hold the
   * winners' blocks with as many records as the manifests say; that each block that is read is the
   * one that the index names, begins with the key that the index says, and holds as many records as
   * header and index say, in the range or beside it; that as many records are delivered as came out
   * of the blocks; and, before {@link #next} says that it was the last, that the keys on both sides
   * of a border are in two groups. So ranges that touch deliver together what {@link #start(int[])}
   * does, if they are started with the same winners and the same grouping.
   *
   * @param range null: all keys
   */
  public void start(int[] winners, KeyRange range) throws IOException {
    checkWinners(winners);
    begin(winners, true, range);
  }

  /**
   * The same for looking into a job whose maps may still run: says nothing of whether these are all
   * winners. Chunks that still take appends are made stable.
   *
   * @param range null: all keys
   */
  public void startSome(int[] winners, KeyRange range) throws IOException {
    checkWinners(winners);
    begin(winners, false, range);
  }

  /**
   * Begins to read the blocks of all map attempts, committed or not, each block once; for looking
   * into a job. Chunks that still take appends are made stable.
   *
   * @param range null: all keys
   */
  public void startAll(KeyRange range) throws IOException {
    begin(null, false, range);
  }

  private void begin(int[] winners, boolean last, KeyRange range) throws IOException {
    if (closed || statistics.records > 0 || merge != null) {
      throw new IllegalStateException(
          "start once, before any record is read: closed=%s records=%s"
              .formatted(closed, statistics.records));
    }
    boolean ready = false;
    try {
      links.restart(null);
      if (winners == null) {
        chunks = chunkSet.awaitSorted(chunkSet.all(metaserver.describe()), range != null);
        chunkSet.acceptAll(chunks);
      } else {
        PlanPartitionResponse plan = metaserver.plan(winners, last, order.ordering());
        accepted = AcceptedBlocks.of(plan);
        chunks = chunkSet.awaitSorted(chunkSet.required(plan, accepted), range != null);
        chunkSet.accept(chunks, accepted);
        statistics.mapOutputs = accepted.mapOutputs();
      }
      filter = range == null ? null : new RangeFilter(range, order);
      promised = filter == null && winners != null;
      List<RunCursor> runs = new ArrayList<>();
      statistics.totalRecordsExpected = 0;
      statistics.chunks = 0;
      for (SortedChunk chunk : chunks) {
        chunk.addRuns(filter, runs);
        statistics.chunks += chunk.ids().length;
        statistics.totalRecordsExpected += chunk.expectedRecords(filter == null);
      }
      statistics.runs = runs.size();
      merge = external.merge(runs);
      if (filter != null) {
        filter.begin(merge.first());
      }
      ready = true;
    } finally {
      if (!ready) {
        chunkSet.forgetWindows();
        links.close();
      }
    }
  }

  private static void checkWinners(int[] winners) {
    if (winners.length % 2 != 0) {
      throw new IllegalArgumentException(
          "winners are pairs (map, attempt): length=" + winners.length);
    }
  }

  /**
   * Moves to the next record.
   *
   * <p>Longer than HotSpot inlines (FreqInlineSize, 325 bytes), on purpose: Hadoop calls this
   * through five small methods, and each of them would be compiled with the whole merge in it,
   * which costs a short reduce task more than merging.
   *
   * @return false after the last one, once everything was checked to be delivered
   * @throws LostBlocksException when blocks turn out to be gone or damaged now; the merge is over
   * @throws IOException when more or fewer records came out than the manifests promise
   */
  public boolean next() throws IOException {
    if (ended) {
      return false;
    }
    if (merge == null) {
      throw new IllegalStateException(
          "next before start, or after an error or close: job=%s partition=%s closed=%s"
              .formatted(metaserver.job(), metaserver.partition(), closed));
    }
    boolean good = false;
    try {
      current = merge.next();
      if (current != null) {
        statistics.records++;
        int length = current.keyLength();
        recordBytes += length + current.valueLength();
        checksum +=
            checksums.of(current.buffer(), current.keyOffset(), length, current.valueLength());
        int stripped = order.encoding().denormalize(current.buffer(), current.keyOffset(), length);
        keyOffset = current.keyOffset() - stripped;
        keyLength = length + stripped;
      } else {
        long read = 0;
        for (SortedChunk chunk : chunks) {
          chunk.checkDelivered(filter == null);
          read += chunk.deliveredRecords();
        }
        if (read != statistics.records
            || promised && !accepted.hold(statistics.records, recordBytes, checksum)) {
          throw new IOException(
              ("records of job=%s partition=%s are not those that were appended: read"
                      + " records=%s delivered records=%s bytes=%s checksum=%x,"
                      + " in the manifests of the winners %s")
                  .formatted(
                      metaserver.job(),
                      metaserver.partition(),
                      read,
                      statistics.records,
                      recordBytes,
                      checksum,
                      accepted.describeRecords()));
        }
        if (filter != null) {
          filter.prove(metaserver.job(), metaserver.partition());
        }
        ended = true;
        close();
      }
      good = true;
    } finally {
      if (!good) {
        close();
      }
    }
    return current != null;
  }

  /** The array with the serialized key; valid until {@link #next}, not to be changed. */
  public byte[] keyBuffer() {
    return current.buffer();
  }

  /** Where the key begins in {@link #keyBuffer}. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Length of the key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** The array with the serialized value; valid until {@link #next}, not to be changed. */
  public byte[] valueBuffer() {
    return current.buffer();
  }

  /** Where the value begins in {@link #valueBuffer}. */
  public int valueOffset() {
    return current.valueOffset();
  }

  /** Length of the value in bytes. */
  public int valueLength() {
    return current.valueLength();
  }

  /** How long the job lives when nobody names it, in ms; 0 while that is not known. */
  public long leaseMs() {
    return metaserver.leaseMs();
  }

  /** Bytes of the keys, as they are stored, and values of the records delivered. */
  public long recordBytes() {
    return recordBytes;
  }

  /** The sum of the checksums of the records delivered. */
  public long checksum() {
    return checksum;
  }

  /** The figures of this merge, live. */
  public MergeStatistics statistics() {
    return statistics;
  }

  /** Gives memory, files and connections back. */
  @Override
  public void close() {
    closed = true;
    if (merge != null) {
      merge.release();
      merge = null;
    }
    chunkSet.forgetWindows();
    links.close();
  }
}

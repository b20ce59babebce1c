package dev.sailfish.hadoop;

import dev.sailfish.hadoop.auto.PlannedReduce;
import dev.sailfish.imerger.Imerger;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * What ReduceTask reads: the imerger's records as Hadoop's iterator. Key and value are handed out
 * in the imerger's own buffers and are valid until the next call of {@link #next()}.
 */
final class MergedRecords implements RawKeyValueIterator {
  private static final int RECORDS_PER_UPDATE = 4096;

  private final Counters.Counter shuffleBytes;
  private final Counters.Counter spilledRecords;
  private final IfileShuffleConsumer<?, ?> consumer;
  private final PlannedReduce planned;
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();
  private final Progress progress = new Progress();
  private Imerger merger;
  private int untilUpdate = RECORDS_PER_UPDATE;
  private long countedBytes;
  private long countedSpilled;

  /**
   * @param merger of the first partition
   * @param consumer has the next ones
   * @param planned is told of each record; null: there is one partition
   */
  MergedRecords(
      Imerger merger,
      Counters.Counter shuffleBytes,
      Counters.Counter spilledRecords,
      IfileShuffleConsumer<?, ?> consumer,
      PlannedReduce planned) {
    this.merger = merger;
    this.shuffleBytes = shuffleBytes;
    this.spilledRecords = spilledRecords;
    this.consumer = consumer;
    this.planned = planned;
    update();
  }

  @Override
  public boolean next() throws IOException {
    if (--untilUpdate == 0) {
      untilUpdate = RECORDS_PER_UPDATE;
      update();
    }
    boolean more = nextMerged();
    while (!more && nextPartition()) {
      more = nextMerged();
    }
    if (!more) {
      progress.complete();
      return false;
    }
    if (planned != null) {
      planned.atRecord(merger.statistics().records() == 1);
    }
    key.reset(merger.keyBuffer(), merger.keyOffset(), merger.keyLength());
    value.reset(merger.valueBuffer(), merger.valueOffset(), merger.valueLength());
    return true;
  }

  private boolean nextMerged() throws IOException {
    try {
      return merger.next();
    } catch (IOException e) {
      consumer.failedWhileReading(e);
      throw e;
    }
  }

  /** Goes on to the next partition, if there is one, when all of this one was read. */
  private boolean nextPartition() throws IOException {
    update();
    Imerger next = consumer.nextPartition();
    if (next == null) {
      return false;
    }
    merger = next;
    countedBytes = 0;
    countedSpilled = 0;
    return true;
  }

  /** Brings counters and progress up to what was read until now. */
  void update() {
    long bytes = merger.statistics().bytesFetched();
    shuffleBytes.increment(bytes - countedBytes);
    countedBytes = bytes;
    long spilled = merger.statistics().spilledRecords();
    spilledRecords.increment(spilled - countedSpilled);
    countedSpilled = spilled;
    float fraction = merger.statistics().fraction();
    progress.set(planned == null ? fraction : planned.fraction(fraction));
  }

  @Override
  public DataInputBuffer getKey() {
    return key;
  }

  @Override
  public DataInputBuffer getValue() {
    return value;
  }

  @Override
  public void close() {
    // The consumer owns the merger: ReduceTask may ask for progress after it closed the iterator.
    update();
  }

  @Override
  public Progress getProgress() {
    return progress;
  }
}

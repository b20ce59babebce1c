package dev.sailfish.hadoop;

import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.LostBlocksException;
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

  private final Imerger merger;
  private final Counters.Counter shuffleBytes;
  private final Counters.Counter spilledRecords;
  private final SailfishShuffleConsumer<?, ?> consumer;
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();
  private final Progress progress = new Progress();
  private int untilUpdate = RECORDS_PER_UPDATE;
  private long countedBytes;
  private long countedSpilled;

  MergedRecords(
      Imerger merger,
      Counters.Counter shuffleBytes,
      Counters.Counter spilledRecords,
      SailfishShuffleConsumer<?, ?> consumer) {
    this.merger = merger;
    this.shuffleBytes = shuffleBytes;
    this.spilledRecords = spilledRecords;
    this.consumer = consumer;
    update();
  }

  @Override
  public boolean next() throws IOException {
    if (--untilUpdate == 0) {
      untilUpdate = RECORDS_PER_UPDATE;
      update();
    }
    if (!nextMerged()) {
      update();
      progress.complete();
      return false;
    }
    key.reset(merger.keyBuffer(), merger.keyOffset(), merger.keyLength());
    value.reset(merger.valueBuffer(), merger.valueOffset(), merger.valueLength());
    return true;
  }

  private boolean nextMerged() throws IOException {
    try {
      return merger.next();
    } catch (LostBlocksException e) {
      consumer.lostWhileReading(e);
      throw e;
    }
  }

  /** Brings counters and progress up to what was read until now. */
  void update() {
    long bytes = merger.statistics().bytesFetched();
    shuffleBytes.increment(bytes - countedBytes);
    countedBytes = bytes;
    long spilled = merger.statistics().spilledRecords();
    spilledRecords.increment(spilled - countedSpilled);
    countedSpilled = spilled;
    progress.set(merger.statistics().fraction());
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

package dev.sailfish.iappender;

import dev.sailfish.format.order.KeyOrder;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Takes the results of a {@link BlockCombiner}. They go to the partition whose records are
 * combined. Valid during {@link BlockCombiner#combine}, for one thread at a time. After an
 * IOException of {@link #endRecord} or {@link #append} the attempt cannot be committed any more.
 */
public final class CombinedOutput {
  private final Iappender appender;
  private final BlockCombiner combiner;
  private final RecordAssembler assembler;
  private final BlockSorter sorter;
  private final SortedRecords sorted;

  /** Null when the combiner is not at work. */
  private PartitionBuffer target;

  /** Why a result could not be appended; null if all could. */
  private Exception failure;

  /** Records that the combiner was given; those that it wrote itself count again each time. */
  long inputRecords;

  /** Records that the combiner wrote. */
  long outputRecords;

  CombinedOutput(
      Iappender appender, BlockCombiner combiner, RecordAssembler assembler, KeyOrder order) {
    this.appender = appender;
    this.combiner = combiner;
    this.assembler = assembler;
    this.sorter = new BlockSorter(order);
    this.sorted = new SortedRecords(order.encoding());
  }

  /** Whether the combiner is at work. */
  boolean isActive() {
    return target != null;
  }

  /**
   * Has the combiner read what is in the buffer; results that fill a block are sent.
   *
   * @return the other results
   */
  PartitionBuffer combine(PartitionBuffer buffer) throws IOException {
    int[] order = sorter.sort(buffer.bytes, PartitionBuffer.START, buffer.records);
    sorted.reset(buffer.bytes, order, buffer.records);
    PartitionBuffer results = new PartitionBuffer(buffer.partition);
    results.gap = buffer.gap;
    target = results;
    try {
      combiner.combine(sorted, this);
      assembler.checkClosed();
      if (failure != null) {
        throw new IOException(
            "a result of the combiner was not appended, and the combiner did not pass that on: "
                + appender.attempt,
            failure);
      }
    } finally {
      assembler.abandon();
      target = null;
    }
    inputRecords += buffer.records;
    return results;
  }

  /** The stream that serializers are opened on: {@link Iappender#output()}. */
  public DataOutputStream output() {
    return assembler;
  }

  /** Begins a result; its serialized key is written next. */
  public void startRecord() {
    if (target == null) {
      throw new IllegalStateException("no combiner is at work");
    }
    assembler.start(target);
  }

  /** The key is complete; the value is written next. */
  public void endKey() throws IOException {
    assembler.endKey();
  }

  /** The result is complete. Results that fill a block are sent; that may wait. */
  public void endRecord() throws IOException {
    boolean inBuffer = assembler.endRecord();
    outputRecords++;
    try {
      appender.placeResult(target, inBuffer);
    } catch (IOException | RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  /** Forgets the result that was started and not ended; nothing happens if there is none. */
  public void abandonRecord() {
    if (target != null) {
      assembler.abandon();
    }
  }

  /** Writes one serialized result; the arrays stay the caller's. */
  public void append(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    startRecord();
    assembler.write(key, keyOffset, keyLength);
    assembler.endKey();
    assembler.write(value, valueOffset, valueLength);
    endRecord();
  }
}

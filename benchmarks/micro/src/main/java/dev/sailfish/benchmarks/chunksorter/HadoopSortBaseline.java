package dev.sailfish.benchmarks.chunksorter;

import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.format.RecordDescriptor;
import java.util.Arrays;
import org.apache.hadoop.util.IndexedSortable;
import org.apache.hadoop.util.QuickSort;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;

/**
 * What stock Hadoop does with the records of one 128 MiB chunk, in place of the chunksorter: its
 * QuickSort over positions, as in a map task's sort buffer, comparing the keys' bytes, and then the
 * records copied in that order. A score is the time for one chunk; {@link #sortOnly} leaves the
 * copying out.
 */
public class HadoopSortBaseline extends SortOfOneChunk implements IndexedSortable {
  private static final int RECORDS = 128 * 1024 * 1024 / SortRecords.LENGTH;
  private static final int HEADER =
      RecordDescriptor.headerLength(SortRecords.KEY_LENGTH, SortRecords.VALUE_LENGTH);

  private final int[] positions = new int[RECORDS];
  private final byte[] sorted = new byte[RECORDS * SortRecords.LENGTH];
  private byte[] records;

  /** Makes the records. */
  @Setup(Level.Trial)
  public void prepare() {
    records = new SortRecords(1).nextBlock(RECORDS);
  }

  @Override
  public int compare(int left, int right) {
    int a = positions[left] + HEADER;
    int b = positions[right] + HEADER;
    int length = SortRecords.KEY_LENGTH;
    return Arrays.compareUnsigned(records, a, a + length, records, b, b + length);
  }

  @Override
  public void swap(int left, int right) {
    int position = positions[left];
    positions[left] = positions[right];
    positions[right] = position;
  }

  /** The positions alone. */
  @Benchmark
  public int[] sortOnly() {
    for (int i = 0; i < RECORDS; i++) {
      positions[i] = i * SortRecords.LENGTH;
    }
    new QuickSort().sort(this, 0, RECORDS);
    return positions;
  }

  /** Sorts, and copies the records in that order. */
  @Benchmark
  public byte[] sort() {
    int to = 0;
    for (int position : sortOnly()) {
      System.arraycopy(records, position, sorted, to, SortRecords.LENGTH);
      to += SortRecords.LENGTH;
    }
    return sorted;
  }
}

package dev.sailfish.benchmarks.jobs.mapreduce;

import java.util.Arrays;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.RawComparator;

/**
 * The order of {@link BytesWritable}, by a class that no shuffle knows: it must be called for each
 * comparison.
 */
public final class KeyBytesComparator implements RawComparator<BytesWritable> {
  private static final int LENGTH_BYTES = Integer.BYTES;

  @Override
  public int compare(
      byte[] left, int leftStart, int leftLength, byte[] right, int rightStart, int rightLength) {
    return Arrays.compareUnsigned(
        left,
        leftStart + LENGTH_BYTES,
        leftStart + leftLength,
        right,
        rightStart + LENGTH_BYTES,
        rightStart + rightLength);
  }

  @Override
  public int compare(BytesWritable left, BytesWritable right) {
    return left.compareTo(right);
  }
}

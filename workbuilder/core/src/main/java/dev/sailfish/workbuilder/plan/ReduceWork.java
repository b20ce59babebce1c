package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.order.GroupOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * What one reduce task has to do: one range of keys of one partition, or several whole partitions,
 * one after the other. Bounds are keys as they are stored and mean the first key of their group
 * ({@link GroupOrder#isBefore}). The arrays are not copied and must not be changed.
 *
 * @param number position in the plan, from 0: the number of the reduce task
 * @param firstPartition of the partitions
 * @param lastPartition of the partitions, inclusive
 * @param range position among the pieces of the partition, from 0
 * @param from the first key; null: from the beginning
 * @param to the upper key, exclusive; null: to the end
 * @param records expected; exact for whole partitions
 * @param rawBytes before compression, expected; exact for whole partitions
 * @param maxRawBytes before compression, at most, as far as the index tells
 */
public record ReduceWork(
    int number,
    int firstPartition,
    int lastPartition,
    int range,
    byte[] from,
    byte[] to,
    long records,
    long rawBytes,
    long maxRawBytes) {
  /** A name that does not change with the numbers of other works: partition and range. */
  public String piece() {
    return firstPartition + "." + range;
  }

  /** Whether it is whole partitions. */
  public boolean isWhole() {
    return from == null && to == null;
  }

  /** How many partitions it has, or has a piece of. */
  public int partitions() {
    return lastPartition - firstPartition + 1;
  }

  /** Whether it may stand behind another work, or at the beginning. */
  boolean follows(ReduceWork previous) {
    boolean begins = previous == null || previous.to == null;
    int expected = previous == null ? 0 : previous.lastPartition + (begins ? 1 : 0);
    return number == (previous == null ? 0 : previous.number + 1)
        && firstPartition == expected
        && lastPartition >= firstPartition
        && (isWhole() || lastPartition == firstPartition)
        && range == (begins ? 0 : previous.range + 1)
        && (begins ? from == null : Arrays.equals(from, previous.to))
        && records >= 0
        && rawBytes >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ReduceWork that
        && number == that.number
        && firstPartition == that.firstPartition
        && lastPartition == that.lastPartition
        && range == that.range
        && Arrays.equals(from, that.from)
        && Arrays.equals(to, that.to)
        && records == that.records
        && rawBytes == that.rawBytes
        && maxRawBytes == that.maxRawBytes;
  }

  @Override
  public int hashCode() {
    return Objects.hash(number, firstPartition, range, Arrays.hashCode(from), rawBytes);
  }
}

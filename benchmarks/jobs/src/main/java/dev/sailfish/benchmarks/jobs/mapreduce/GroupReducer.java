package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Checks the records of its groups, and counts the results instead of writing them: what is
 * measured is the shuffle. Results must not depend on the order of a group's values, which stock
 * Hadoop leaves open.
 *
 * @param <V> type of the values
 */
abstract class GroupReducer<V extends Writable>
    extends Reducer<Text, V, NullWritable, NullWritable> {
  private KeyCheck keys;
  private long keyHash;
  private long records;
  private long hashSum;
  private long groupedSum;
  private long results;
  private long resultSum;

  @Override
  protected final void setup(Context context) {
    keys = new KeyCheck(context);
  }

  @Override
  protected final void reduce(Text key, Iterable<V> values, Context context) {
    keys.next(key, context);
    keyHash = RecordHash.of(key.getBytes(), 0, key.getLength());
    group(key, values);
  }

  /** Looks at each value once, through one of the methods {@code seen}, and makes results. */
  abstract void group(Text key, Iterable<V> values);

  /** Hash of the group's key. */
  final long keyHash() {
    return keyHash;
  }

  /** The partition of the group. */
  final int partition() {
    return keys.partition();
  }

  /** A value of the group was seen; returns its hash. */
  final long seen(Text value) {
    byte[] bytes = value.getBytes();
    long hash = RecordHash.of(bytes, 0, value.getLength());
    records++;
    hashSum += RecordHash.of(keyHash, hash);
    groupedSum += RecordHash.of(keyHash, RecordHash.ofHead(bytes, 0, value.getLength()));
    return hash;
  }

  /** A number was seen that stands for so many records. */
  final void seen(long times) {
    records += times;
    hashSum += times * keyHash;
    groupedSum += times * keyHash;
  }

  /** A record of the job's result, given its hash. */
  final void result(long hash) {
    results++;
    resultSum += hash;
  }

  /** Counts what the task saw; who adds to it, counts that too. */
  @Override
  protected void cleanup(Context context) {
    context.getCounter(Check.REDUCE_RECORDS).increment(records);
    context.getCounter(Check.REDUCE_HASH_SUM).increment(hashSum);
    context.getCounter(Check.GROUPED_HASH_SUM).increment(groupedSum);
    context.getCounter(Check.RESULT_RECORDS).increment(results);
    context.getCounter(Check.RESULT_HASH_SUM).increment(resultSum);
  }
}

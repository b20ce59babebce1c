package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * Makes records of lines whose fields have tabs between them, and counts what it emits.
 *
 * @param <V> type of the values
 */
abstract class LineMapper<V extends Writable> extends Mapper<LongWritable, Text, Text, V> {
  private static final int MOST_FIELDS = 16;

  private final int[] begins = new int[MOST_FIELDS + 1];
  private final Text key = new Text();
  private byte[] line;
  private long records;
  private long hashSum;

  @Override
  protected final void map(LongWritable index, Text text, Context context)
      throws IOException, InterruptedException {
    line = text.getBytes();
    int length = text.getLength();
    int fields = 0;
    for (int i = 0; i < length && fields < MOST_FIELDS; i++) {
      if (line[i] == '\t') {
        begins[++fields] = i + 1;
      }
    }
    begins[Math.min(fields + 1, MOST_FIELDS)] = length + 1;
    records(context);
  }

  /** Emits the records of the line. */
  abstract void records(Context context) throws IOException, InterruptedException;

  /** Where a field of the line begins. */
  final int begin(int field) {
    return begins[field];
  }

  /** Where a field of the line ends. */
  final int end(int field) {
    return begins[field + 1] - 1;
  }

  /** The line, and perhaps more behind it. */
  final byte[] line() {
    return line;
  }

  /** Makes a part of the line, from the begin of one field to the end of another, the key. */
  final void key(int first, int last) {
    key.set(line, begin(first), end(last) - begin(first));
  }

  /** Hash of the key. */
  final long keyHash() {
    return RecordHash.of(key.getBytes(), 0, key.getLength());
  }

  /**
   * Emits a record with this key.
   *
   * @param hash of key and value
   */
  final void emit(V value, long hash, Context context) throws IOException, InterruptedException {
    records++;
    hashSum += hash;
    context.write(key, value);
  }

  @Override
  protected final void cleanup(Context context) {
    context.getCounter(Check.MAP_RECORDS).increment(records);
    context.getCounter(Check.MAP_HASH_SUM).increment(hashSum);
  }

  /** The same for values that are text. */
  abstract static class ToText extends LineMapper<Text> {
    private final Text value = new Text();

    /** Makes a part of the line, from the begin of one field to the end of another, the value. */
    final void value(int first, int last) {
      value.set(line(), begin(first), end(last) - begin(first));
    }

    /** Adds a tab and a part of the line to the value. */
    final void append(int first, int last) {
      value.append(line(), begin(first) - 1, end(last) - begin(first) + 1);
    }

    /** Emits the record that was made. */
    final void emit(Context context) throws IOException, InterruptedException {
      long hash = RecordHash.of(value.getBytes(), 0, value.getLength());
      emit(value, RecordHash.of(keyHash(), hash), context);
    }
  }
}

package dev.sailfish.benchmarks.jobs.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Partitioner;

/**
 * A word and the length of a line that it stands in: sorted by both, partitioned and grouped by the
 * word alone.
 *
 * <p>Serialized as the length of the word in bytes (2 bytes), the word in UTF-8, the line's length
 * (4 bytes). Its order is not the order of these bytes, so that it takes the comparator to sort
 * them.
 */
public final class WordLengthKey implements WritableComparable<WordLengthKey> {
  private final Text word = new Text();
  private int lineLength;

  void set(String newWord, int newLineLength) {
    word.set(newWord);
    lineLength = newLineLength;
  }

  Text word() {
    return word;
  }

  int lineLength() {
    return lineLength;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeShort(word.getLength());
    out.write(word.getBytes(), 0, word.getLength());
    out.writeInt(lineLength);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    byte[] bytes = new byte[in.readUnsignedShort()];
    in.readFully(bytes);
    word.set(bytes);
    lineLength = in.readInt();
  }

  @Override
  public int compareTo(WordLengthKey other) {
    int byWord = word.compareTo(other.word);
    return byWord != 0 ? byWord : Integer.compare(lineLength, other.lineLength);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WordLengthKey && compareTo((WordLengthKey) other) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * word.hashCode() + lineLength;
  }

  /** Compares serialized words; where they begin and how long they are is known only here. */
  private static int compareWords(byte[] left, int leftStart, byte[] right, int rightStart) {
    return WritableComparator.compareBytes(
        left,
        leftStart + Short.BYTES,
        wordBytes(left, leftStart),
        right,
        rightStart + Short.BYTES,
        wordBytes(right, rightStart));
  }

  private static int wordBytes(byte[] bytes, int start) {
    return (bytes[start] & 0xff) << Byte.SIZE | bytes[start + 1] & 0xff;
  }

  /** Sorts by word, then by line length. */
  public static final class SortOrder implements RawComparator<WordLengthKey> {
    @Override
    public int compare(
        byte[] left, int leftStart, int leftLength, byte[] right, int rightStart, int rightLength) {
      int byWord = compareWords(left, leftStart, right, rightStart);
      return byWord != 0
          ? byWord
          : Integer.compare(
              WritableComparator.readInt(left, leftStart + leftLength - Integer.BYTES),
              WritableComparator.readInt(right, rightStart + rightLength - Integer.BYTES));
    }

    @Override
    public int compare(WordLengthKey left, WordLengthKey right) {
      return left.compareTo(right);
    }
  }

  /** Groups by word. */
  public static final class Grouping implements RawComparator<WordLengthKey> {
    @Override
    public int compare(
        byte[] left, int leftStart, int leftLength, byte[] right, int rightStart, int rightLength) {
      return compareWords(left, leftStart, right, rightStart);
    }

    @Override
    public int compare(WordLengthKey left, WordLengthKey right) {
      return left.word.compareTo(right.word);
    }
  }

  /** Partitions by word. */
  public static final class ByWord extends Partitioner<WordLengthKey, Object> {
    @Override
    public int getPartition(WordLengthKey key, Object value, int partitions) {
      return (key.word.hashCode() & Integer.MAX_VALUE) % partitions;
    }
  }
}

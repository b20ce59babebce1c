package dev.sailfish.jobs;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.WritableComparable;

/** A user's composite key without a RawComparator: Hadoop deserializes both sides to compare. */
public class PlainPair implements WritableComparable<PlainPair> {
  private int first;
  private int second;

  /** For Hadoop's reflection. */
  public PlainPair() {}

  /** A pair of two numbers; the first is what groups are made of. */
  public PlainPair(int first, int second) {
    this.first = first;
    this.second = second;
  }

  /** The grouping part. */
  public int first() {
    return first;
  }

  /** The part that orders values within a group. */
  public int second() {
    return second;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeInt(first);
    out.writeInt(second);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    first = in.readInt();
    second = in.readInt();
  }

  @Override
  public int compareTo(PlainPair other) {
    int byFirst = Integer.compare(first, other.first);
    return byFirst != 0 ? byFirst : Integer.compare(second, other.second);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PlainPair pair && pair.first == first && pair.second == second;
  }

  @Override
  public int hashCode() {
    return first;
  }
}

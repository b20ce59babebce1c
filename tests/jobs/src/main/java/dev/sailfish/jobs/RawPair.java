package dev.sailfish.jobs;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** A user's composite key with a RawComparator of its own: first ascending, second descending. */
public class RawPair implements WritableComparable<RawPair> {
  static {
    WritableComparator.define(RawPair.class, new Comparator());
  }

  private int first;
  private int second;

  /** For Hadoop's reflection. */
  public RawPair() {}

  /** A pair of two numbers; the first is what groups are made of. */
  public RawPair(int first, int second) {
    this.first = first;
    this.second = second;
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
  public int compareTo(RawPair other) {
    int byFirst = Integer.compare(first, other.first);
    return byFirst != 0 ? byFirst : Integer.compare(other.second, second);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawPair pair && pair.first == first && pair.second == second;
  }

  @Override
  public int hashCode() {
    return first;
  }

  /** Compares the serialized bytes. */
  public static final class Comparator extends WritableComparator {
    private static final long serialVersionUID = 1L;

    /** Registered for RawPair. */
    public Comparator() {
      super(RawPair.class);
    }

    @Override
    public int compare(byte[] left, int leftAt, int ll, byte[] right, int rightAt, int rl) {
      int byFirst = Integer.compare(readInt(left, leftAt), readInt(right, rightAt));
      return byFirst != 0
          ? byFirst
          : Integer.compare(readInt(right, rightAt + 4), readInt(left, leftAt + 4));
    }
  }
}

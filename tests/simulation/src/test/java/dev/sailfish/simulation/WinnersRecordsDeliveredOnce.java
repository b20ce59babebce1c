package dev.sailfish.simulation;

import dev.sailfish.imerger.Imerger;
import java.util.Arrays;
import java.util.List;

/**
 * A reducer is given the records of the winning attempts that it named, each once and in the one
 * order that there is, and no other record.
 */
final class WinnersRecordsDeliveredOnce {
  private long records;

  /** How many records were delivered to reducers, those that failed later included. */
  long records() {
    return records;
  }

  /** What one reducer is given. */
  final class Delivery {
    private final String reducer;
    private final List<Input.Record> expected;
    private int delivered;

    private Delivery(String reducer, List<Input.Record> expected) {
      this.reducer = reducer;
      this.expected = expected;
    }

    /** Compares the imerger's present record with the one that has to come. */
    void deliver(Imerger imerger) {
      byte[] key =
          Arrays.copyOfRange(
              imerger.keyBuffer(), imerger.keyOffset(), imerger.keyOffset() + imerger.keyLength());
      byte[] value =
          Arrays.copyOfRange(
              imerger.valueBuffer(),
              imerger.valueOffset(),
              imerger.valueOffset() + imerger.valueLength());
      if (delivered == expected.size()) {
        throw violation("one record too many: " + Arrays.toString(value));
      }
      Input.Record next = expected.get(delivered);
      if (!Arrays.equals(key, next.key()) || !Arrays.equals(value, next.value())) {
        throw violation("another record than " + next + " comes as number " + delivered);
      }
      delivered++;
      records++;
    }

    /** The imerger says that this was all. */
    void end() {
      if (delivered != expected.size()) {
        throw violation("records are missing: delivered=" + delivered);
      }
    }

    private Violation violation(String what) {
      return new Violation(
          WinnersRecordsDeliveredOnce.class,
          reducer + ": " + what + " of expected=" + expected.size());
    }
  }

  /**
   * A reducer begins to read.
   *
   * @param expected what it has to be given
   */
  Delivery begin(String reducer, List<Input.Record> expected) {
    return new Delivery(reducer, expected);
  }
}

package dev.sailfish.simulation;

import dev.sailfish.imerger.Imerger;
import dev.sailfish.simulator.Violation;
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

    private final boolean combined;
    private byte[] lastKey;
    private long sum;

    private Delivery(String reducer, List<Input.Record> expected, boolean combined) {
      this.reducer = reducer;
      this.expected = expected;
      this.combined = combined;
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
      if (combined) {
        deliverPart(key, value);
        return;
      }
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

    /** A sum of some of a key's values: the sum of all of them must come by the key's end. */
    private void deliverPart(byte[] key, byte[] value) {
      if (lastKey != null && !Arrays.equals(lastKey, key)) {
        endKey();
      }
      if (lastKey != null && Arrays.compareUnsigned(lastKey, key) > 0) {
        throw violation("keys go backwards at " + Arrays.toString(key));
      }
      lastKey = key;
      sum += Sums.of(value, 0);
      records++;
    }

    /** Takes all values of the key off what is expected. */
    private void endKey() {
      long promised = 0;
      int before = delivered;
      while (delivered < expected.size() && Arrays.equals(expected.get(delivered).key(), lastKey)) {
        promised += Sums.of(expected.get(delivered).value(), 0);
        delivered++;
      }
      if (promised != sum || delivered == before) {
        throw violation(
            "another sum comes for key="
                + Arrays.toString(lastKey)
                + " of values="
                + (delivered - before));
      }
      sum = 0;
    }

    /** The imerger says that this was all. */
    void end() {
      if (lastKey != null) {
        endKey();
      }
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
   * @param combined whether sums of values with equal keys may come in place of the values
   */
  Delivery begin(String reducer, List<Input.Record> expected, boolean combined) {
    return new Delivery(reducer, expected, combined);
  }
}

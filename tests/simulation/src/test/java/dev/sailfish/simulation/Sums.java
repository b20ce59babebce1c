package dev.sailfish.simulation;

import dev.sailfish.iappender.BlockCombiner;
import dev.sailfish.iappender.CombinedOutput;
import dev.sailfish.iappender.SortedRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A combiner: one record for each key, with the sum of the values. */
final class Sums implements BlockCombiner {
  private final Sabotage sabotage;

  Sums(Sabotage sabotage) {
    this.sabotage = sabotage;
  }

  @Override
  public void combine(SortedRecords sorted, CombinedOutput combined) throws IOException {
    byte[] key = null;
    long sum = 0;
    while (sorted.next()) {
      int from = sorted.keyOffset();
      byte[] next = Arrays.copyOfRange(sorted.keyBuffer(), from, from + sorted.keyLength());
      if (key != null && !Arrays.equals(key, next)) {
        write(key, sum, combined);
        sum = 0;
      }
      key = next;
      sum += of(sorted.valueBuffer(), sorted.valueOffset());
    }
    if (key != null) {
      write(key, sum, combined);
    }
  }

  /** The number that a value is. */
  static long of(byte[] bytes, int offset) {
    return ByteBuffer.wrap(bytes, offset, Long.BYTES).getLong();
  }

  private void write(byte[] key, long sum, CombinedOutput combined) throws IOException {
    byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(sabotage.combined(sum)).array();
    combined.append(key, 0, key.length, value, 0, value.length);
  }
}

package dev.sailfish.benchmarks.jobs.mapreduce.lines;

/**
 * The input of one job: lines, each a function of its index, so that any part can be made anywhere
 * and again. Implementations have no state that changes.
 */
public interface LineSource {
  /** Lines of each map task, in the order of their indexes. */
  long[] splits();

  /**
   * Writes a line over what was in {@code line}.
   *
   * @return what the records that a map makes of it add to the sum over all groups: for each, the
   *     hash of its key with that of the first {@value RecordHash#HEAD_BYTES} bytes of its value;
   *     for a value that is a number, the hash of its key
   */
  long write(long index, Line line);

  /** How many records the job must have as its result. */
  long results();

  /** Bytes of the longest line, without a line end. */
  int longest();

  /** Bytes of the line with this index; of the longest, unless lines differ. */
  default int lineBytes(long index) {
    return longest();
  }

  /** All lines. */
  default long records() {
    long sum = 0;
    for (long split : splits()) {
      sum += split;
    }
    return sum;
  }

  /** Shares that differ by one line at most. */
  static long[] even(long records, int splits) {
    long[] shares = new long[splits];
    for (int i = 0; i < splits; i++) {
      shares[i] = records / splits + (i < records % splits ? 1 : 0);
    }
    return shares;
  }
}

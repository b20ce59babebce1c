package dev.sailfish.benchmarks.qfs;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/** One who takes records of map tasks and gives them back sorted. For one thread. */
interface Contender extends Closeable {
  /** As the results call it. */
  String name();

  /** CPU time of its servers until now. */
  Duration serverCpu();

  /**
   * Takes the records of a map task, all of them; for as many threads as there are maps.
   *
   * @param round of 0, 1, 2 …: each has a file or a job of its own
   * @param records back to back
   */
  void append(int round, int map, byte[] records) throws IOException;

  /** All maps have appended: returns when all of the round's records can be read in key order. */
  void sort(int round) throws IOException;

  /**
   * Looks at all that came of it and forgets it; not measured.
   *
   * @throws IOException when keys are not in order
   */
  RecordCheck.Found finish(int round) throws IOException;
}

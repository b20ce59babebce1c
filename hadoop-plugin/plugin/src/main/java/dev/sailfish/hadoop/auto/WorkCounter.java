package dev.sailfish.hadoop.auto;

import dev.sailfish.ground.wire.Network;
import java.time.Duration;
import java.time.Instant;
import org.apache.hadoop.mapred.Reporter;

/**
 * Counters of jobs in {@code auto} mode, by which tasks tell the ApplicationMaster what it needs to
 * know: names, so that a task loads nothing for them.
 */
public final class WorkCounter {
  /** Their group. */
  public static final String GROUP = "dev.sailfish.ReduceWork";

  /** Of a map: ms from the start of its JVM until it takes records. */
  public static final String MAP_START_MS = "MAP_START_MS";

  /** CPU ms that it has used in this time. */
  public static final String MAP_START_CPU_MS = "MAP_START_CPU_MS";

  /**
   * Of a reduce task: bytes of the records that it has read, of partitions and pieces that it read
   * to their end: keys as they are stored, values, and for each record the shortest header. A plan
   * counts headers as they are, which is a byte or two more for each record over 127 bytes.
   */
  public static final String READ_BYTES = "READ_BYTES";

  /** Of a reduce task with a piece of a partition: 1 when it was read to its end. */
  public static final String PIECES_READ = "PIECES_READ";

  /** Records of that piece. */
  public static final String PIECE_RECORDS = "PIECE_RECORDS";

  /** Bytes of keys, as they are stored, and values of that piece. */
  public static final String PIECE_BYTES = "PIECE_BYTES";

  /** Checksum of its records: those of the pieces of a partition add up to the partition's. */
  public static final String PIECE_CHECKSUM = "PIECE_CHECKSUM";

  private WorkCounter() {}

  /** Tells what it took a map's JVM to get to its records, if the system knows. */
  public static void countMapStart(Reporter reporter) {
    long[] start = sinceStart();
    if (start[0] > 0) {
      reporter.getCounter(GROUP, MAP_START_MS).setValue(start[0]);
      reporter.getCounter(GROUP, MAP_START_CPU_MS).setValue(start[1]);
    }
  }

  /** How many cores this JVM has used since it was started, on average; 1 when nobody knows. */
  public static double coresSinceStart() {
    long[] start = sinceStart();
    return start[0] > 0 ? (double) start[1] / start[0] : 1;
  }

  /** Milliseconds since the start of this JVM, and CPU time of it in them; 0 if not known. */
  private static long[] sinceStart() {
    ProcessHandle.Info process = ProcessHandle.current().info();
    Instant began = process.startInstant().orElse(null);
    Duration used = process.totalCpuDuration().orElse(null);
    return began == null || used == null
        ? new long[2]
        : new long[] {Network.SOCKETS.wallMs() - began.toEpochMilli(), used.toMillis()};
  }
}

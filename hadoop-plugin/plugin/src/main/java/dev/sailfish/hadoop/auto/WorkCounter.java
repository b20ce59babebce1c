package dev.sailfish.hadoop.auto;

import dev.sailfish.ground.wire.Network;
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

  /** Of a reduce task with a piece of a partition: 1 when it was read to its end. */
  public static final String PIECES_READ = "PIECES_READ";

  /** Records of that piece. */
  public static final String PIECE_RECORDS = "PIECE_RECORDS";

  /** Bytes of keys, as they are stored, and values of that piece. */
  public static final String PIECE_BYTES = "PIECE_BYTES";

  /** Checksum of its records: those of the pieces of a partition add up to the partition's. */
  public static final String PIECE_CHECKSUM = "PIECE_CHECKSUM";

  private WorkCounter() {}

  /**
   * Tells how long a map's JVM has taken to get to its records, if the system says when it began.
   */
  public static void countMapStart(Reporter reporter) {
    Instant began = ProcessHandle.current().info().startInstant().orElse(null);
    if (began != null) {
      long ms = Network.SOCKETS.wallMs() - began.toEpochMilli();
      reporter.getCounter(GROUP, MAP_START_MS).setValue(ms);
    }
  }
}

package dev.sailfish.hadoop.auto;

import dev.sailfish.ground.wire.Network;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;
import org.apache.hadoop.mapreduce.Counter;

/**
 * Counters of jobs in {@code auto} mode, by which tasks tell the ApplicationMaster what it needs to
 * know: names, so that a task loads nothing for them.
 */
public final class WorkCounter {
  /** Their group. */
  public static final String GROUP = "dev.sailfish.ReduceWork";

  /**
   * Of a map: ms from the start of its JVM until it takes records; from its own beginning if the
   * JVM has run others before.
   */
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

  private static final Times NOTHING = new Times(0, 0);

  /** What had passed when the attempt that runs now began. */
  private static volatile Times begun = NOTHING;

  private WorkCounter() {}

  /**
   * Of a JVM.
   *
   * @param wallMs since its start
   * @param cpuMs that it has used
   */
  private record Times(long wallMs, long cpuMs) {}

  /** This JVM begins another attempt. */
  public static void nextAttempt() {
    Times now = sinceStart();
    begun = now == null ? NOTHING : now;
  }

  /**
   * Tells what it took a map to get to its records, if the system knows.
   *
   * @param counters of the map, by group and name
   */
  public static void countMapStart(BiFunction<String, String, Counter> counters) {
    Times now = sinceStart();
    if (now != null) {
      // Not 0, which is what counters have that nobody has set.
      long wallMs = Math.max(1, now.wallMs - begun.wallMs);
      counters.apply(GROUP, MAP_START_MS).setValue(wallMs);
      counters.apply(GROUP, MAP_START_CPU_MS).setValue(now.cpuMs - begun.cpuMs);
    }
  }

  /** How many cores this JVM has used since it was started, on average; 1 when nobody knows. */
  public static double coresSinceStart() {
    Times now = sinceStart();
    return now == null ? 1 : (double) now.cpuMs / now.wallMs;
  }

  /** Null if it is not known. */
  private static Times sinceStart() {
    ProcessHandle.Info process = ProcessHandle.current().info();
    Instant began = process.startInstant().orElse(null);
    Duration used = process.totalCpuDuration().orElse(null);
    if (began == null || used == null) {
      return null;
    }
    long wallMs = Network.SOCKETS.wallMs() - began.toEpochMilli();
    return wallMs <= 0 ? null : new Times(wallMs, used.toMillis());
  }
}

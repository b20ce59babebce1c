package dev.sailfish.lineage.qfs.append;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import java.time.Duration;

/**
 * How records are appended. Immutable.
 *
 * @param reserveBytes room that an appender sets aside in a chunk at a time; a chunk of 64 MiB
 *     takes about 64 MiB divided by this many appenders at once
 * @param batchBytes most bytes of one append, and so of one record; an appender has two buffers of
 *     this size
 * @param retry how long one append may take with all that has to be repeated, but for a last
 *     request that has its own time; also how long a chunk may take to become stable
 */
public record AppendSettings(int reserveBytes, int batchBytes, RetrySettings retry) {
  /** 1 MiB each; 5 minutes, which is as long as a lease; 20 ms to 2 s. */
  public static final AppendSettings DEFAULTS =
      new AppendSettings(
          1 << 20,
          1 << 20,
          new RetrySettings(Duration.ofMinutes(5), Duration.ofMillis(20), Duration.ofSeconds(2)));

  /** Checks. */
  public AppendSettings {
    checkSize("reserve_bytes", reserveBytes);
    checkSize("batch_bytes", batchBytes);
  }

  private static void checkSize(String name, int bytes) {
    if (bytes < 1 || bytes > ChunkInfo.BYTES) {
      throw new IllegalArgumentException(
          "%s=%d is not in 1..%d".formatted(name, bytes, ChunkInfo.BYTES));
    }
  }

  /** How many appenders may share a chunk. */
  int appendersPerChunk() {
    return ChunkInfo.BYTES / reserveBytes;
  }
}

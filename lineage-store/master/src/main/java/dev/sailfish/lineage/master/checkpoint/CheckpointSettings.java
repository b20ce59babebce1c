package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.edge.checkpoint.SynchronousThreshold;
import dev.sailfish.lineage.edge.recompute.Backoff;
import dev.sailfish.lineage.edge.recompute.TemporaryFiles;

/**
 * What is checkpointed, in which order, and how fast.
 *
 * @param order of files with a lineage record
 * @param temporary files that are left alone
 * @param unrecorded whether files without a record are checkpointed, too, after all others
 * @param threshold above which the outputs of a record go before all others
 * @param backoff when a file that could not be copied is tried again; attempts do not count
 * @param pace of workers
 */
public record CheckpointSettings(
    CheckpointOrdering order,
    TemporaryFiles temporary,
    boolean unrecorded,
    SynchronousThreshold threshold,
    Backoff backoff,
    Pace pace) {
  /**
   * How fast workers copy.
   *
   * @param atOnce files of one mount at one worker
   * @param bytesPerSecond at one worker; 0: any number
   * @param longestPauseMs before each piece, while a worker's host is busy
   */
  public record Pace(int atOnce, long bytesPerSecond, long longestPauseMs) {}
}

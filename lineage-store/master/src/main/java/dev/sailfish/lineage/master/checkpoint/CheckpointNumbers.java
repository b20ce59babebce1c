package dev.sailfish.lineage.master.checkpoint;

/**
 * How far checkpoints are.
 *
 * @param files that wait, those that are being copied too
 * @param bytes how long these are together
 * @param copying files that workers have in hand
 * @param oldestMs how long the oldest file waits, since this master leads at most
 * @param copiedFiles since this master leads
 * @param copiedBytes of these
 * @param sparedBytes of files that were deleted before their turn
 * @param failures copies that failed
 * @param edgeMs M of the present edge, about; 0: not known
 */
public record CheckpointNumbers(
    long files,
    long bytes,
    long copying,
    long oldestMs,
    long copiedFiles,
    long copiedBytes,
    long sparedBytes,
    long failures,
    long edgeMs) {
  /** Of a master that does not lead. */
  static final CheckpointNumbers NONE = new CheckpointNumbers(0, 0, 0, 0, 0, 0, 0, 0, 0);
}

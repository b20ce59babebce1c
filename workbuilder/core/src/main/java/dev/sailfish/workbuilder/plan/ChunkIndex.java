package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.tail.IndexSummary;
import java.util.List;

/**
 * What the index of one SORTED chunk tells of its runs.
 *
 * @param chunk its id
 * @param entries run by run, in the order of the keys, of winning and losing attempts alike; the
 *     keys are the chunk's own; null: not known
 */
public record ChunkIndex(long chunk, List<IndexSummary.Entry> entries) {
  /** Takes over what a chunkserver has answered; what is not complete counts as not known. */
  public static ChunkIndex of(IndexSummary summary) {
    return summary.isComplete()
        ? new ChunkIndex(summary.chunk(), summary.entries())
        : missing(summary.chunk());
  }

  /** A chunk whose index nobody has. */
  public static ChunkIndex missing(long chunk) {
    return new ChunkIndex(chunk, null);
  }
}

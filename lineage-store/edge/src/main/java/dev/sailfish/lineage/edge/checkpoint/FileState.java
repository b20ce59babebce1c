package dev.sailfish.lineage.edge.checkpoint;

import java.util.Set;

/** What a policy knows of a file, and which state may follow which. */
enum FileState {
  /** A dependency names it; nobody has said that it is complete. */
  EXPECTED,
  /** Complete, and in memory alone. */
  WAITING,
  /** Being written to the under store. */
  WRITING,
  /** In the under store. */
  CHECKPOINTED,
  /** Was complete, and is nowhere. */
  LOST,
  /** Deleted; known as long as files that were made of it are. */
  DELETED;

  Set<FileState> next() {
    return switch (this) {
      case EXPECTED -> Set.of(WAITING, CHECKPOINTED, DELETED);
      case WAITING -> Set.of(WRITING, CHECKPOINTED, LOST, DELETED);
      case WRITING -> Set.of(WAITING, CHECKPOINTED, LOST, DELETED);
      case CHECKPOINTED -> Set.of(LOST, DELETED);
      case LOST -> Set.of(WAITING, CHECKPOINTED, DELETED);
      case DELETED -> Set.of();
    };
  }

  /** A vertex of the lineage graph: it was complete at some time and was not deleted. */
  boolean isVertex() {
    return this != EXPECTED && this != DELETED;
  }

  /** Memory has it and the under store has not, or not yet. */
  boolean isUncheckpointed() {
    return this == WAITING || this == WRITING;
  }
}

package dev.sailfish.lineage.worker.under;

import java.util.Set;

/** The states of a {@link CopyStream}, and which may follow which. */
enum CopyState {
  /** It is asked where the file is below, and a writer opened there. */
  BEGINNING,
  /** Takes bytes. */
  OPEN,
  /** All bytes are there: the copy is made, and recorded. */
  ENDING,
  /** The copy counts. */
  ENDED,
  /** It failed or was given up; its writer is to be closed, or is. */
  BROKEN;

  Set<CopyState> next() {
    return switch (this) {
      case BEGINNING -> Set.of(OPEN, BROKEN);
      case OPEN -> Set.of(ENDING, BROKEN);
      case ENDING -> Set.of(ENDED, BROKEN);
      case ENDED, BROKEN -> Set.of();
    };
  }
}

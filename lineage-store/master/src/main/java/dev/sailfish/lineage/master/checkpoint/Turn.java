package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.master.table.Fid;

/** One file's turn, from the moment in which it is chosen. */
final class Turn {
  private final CheckpointPlace place;
  private final Source source;
  private TurnState state = TurnState.ASSIGNED;
  private long sinceNs;

  /** Who wants a file to be copied, and has it back when its turn comes to nothing. */
  enum Source {
    /** Somebody has asked for it, or its record is large. */
    URGENT,
    /** The policy. */
    POLICY,
    /** It has no record. */
    UNRECORDED
  }

  Turn(CheckpointPlace place, Source source, long nowNs) {
    this.place = place;
    this.source = source;
    this.sinceNs = nowNs;
  }

  CheckpointPlace place() {
    return place;
  }

  long fid() {
    return place.fid();
  }

  Source source() {
    return source;
  }

  TurnState state() {
    return state;
  }

  /** Since when it is in this state; of one that was ordered, since when its worker may copy it. */
  long sinceNs() {
    return sinceNs;
  }

  boolean isWithWorker() {
    return state == TurnState.ORDERED || state == TurnState.TOLD;
  }

  void move(TurnState next, long nowNs) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "fid=%s: %s does not follow %s".formatted(Fid.text(fid()), next, state));
    }
    if (next != TurnState.TOLD) {
      sinceNs = nowNs;
    }
    state = next;
  }
}

package dev.sailfish.protocol;

import dev.sailfish.ground.wire.ProtocolException;

/**
 * The life of a chunk (DESIGN.md §2), as chunkserver and metaserver both see it.
 *
 * <pre>
 *            append does not fit,            chunksorter
 *            or a reducer asks               is done
 *   OPEN ───────────────────────▶ STABLE ─────────────────▶ SORTED
 *     │                              │                         │
 *     └──────────────────────────────┴────────────▶ LOST ◀─────┘
 *                        damaged, or its server is gone
 * </pre>
 *
 * <p>LOST is final. Nothing ever goes back: a chunk never changes after STABLE but for being
 * sorted.
 */
public enum ChunkState {
  /** Takes appends. */
  OPEN(1),
  /** Takes no appends; waits for the chunksorter or is being sorted. */
  STABLE(2),
  /** Sorted and indexed; can be read. */
  SORTED(3),
  /** Its bytes are gone or damaged. */
  LOST(4);

  private final int code;

  ChunkState(int code) {
    this.code = code;
  }

  /** The code on the wire. */
  public int code() {
    return code;
  }

  /** Whether the table above has an arrow from this state to {@code next}. */
  public boolean mayBecome(ChunkState next) {
    return switch (this) {
      case OPEN -> next == STABLE || next == LOST;
      case STABLE -> next == SORTED || next == LOST;
      case SORTED -> next == LOST;
      case LOST -> false;
    };
  }

  /**
   * The state with this code.
   *
   * @throws ProtocolException when no state has it
   */
  public static ChunkState ofCode(int code) throws ProtocolException {
    for (ChunkState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    throw new ProtocolException("unknown chunk state: code=" + code + " known=1..4");
  }
}

package dev.sailfish.lineage.master.dependency;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where the bytes of an output are; the ordinal is in snapshots.
 *
 * <pre>
 *   PENDING ──▶ STORED ◀──▶ BELOW        complete; copied below, or there no more
 *      │          │ ▲        │ ▲         (PENDING ──▶ BELOW: written below from the beginning)
 *      │          ▼ │        ▼ │
 *      └───────▶ LOST ◀──────┘ │         a block is with no worker; a worker that comes back has it
 *                 │            │
 *                 ▼            │
 *             RECOMPUTING ─────┤         ──▶ STORED: length and checksum are those of the record
 *                 │ ▲          │
 *                 ▼ │          │
 *             INTERRUPTED ─────┘         what workers say counts no more until a recompute ends
 *                 │
 *                 └──▶ LOST              given up: a worker that comes back may have it
 *
 *   all ──▶ DELETED ◀──▶ REVIVING        out of sight, while a lost file is made of it
 *              ▲          │ ▲
 *              │          ▼ │            ──▶ REVIVED: length and checksum are those of the record
 *              └──────── REVIVED         ──▶ REVIVING: a block is with no worker
 * </pre>
 */
public enum OutputState {
  /** Its writer has not completed it. */
  PENDING,
  /** Workers have all of it. */
  STORED,
  /** The under store has all of it. */
  BELOW,
  /** A block is with no worker that lives: it can be recomputed, or comes back with the worker. */
  LOST,
  /** A client writes it again. */
  RECOMPUTING,
  /** A recompute ended before its end, or with other bytes: it can be recomputed. */
  INTERRUPTED,
  /** It was deleted. */
  DELETED,
  /** It was deleted, and is to be written again out of sight: a client does, or has given it up. */
  REVIVING,
  /** It was deleted, and workers have all of it again, out of sight. */
  REVIVED;

  private static final OutputState[] ALL = values();

  /** The states that may follow this one. */
  public Set<OutputState> successors() {
    return switch (this) {
      case PENDING, BELOW -> EnumSet.of(this == BELOW ? STORED : BELOW, STORED, LOST, DELETED);
      case STORED -> EnumSet.of(BELOW, LOST, DELETED);
      case LOST -> EnumSet.of(STORED, BELOW, RECOMPUTING, DELETED);
      case RECOMPUTING -> EnumSet.of(STORED, INTERRUPTED, BELOW, DELETED);
      case INTERRUPTED -> EnumSet.of(LOST, RECOMPUTING, BELOW, DELETED);
      case DELETED -> EnumSet.of(REVIVING);
      case REVIVING -> EnumSet.of(REVIVED, DELETED);
      case REVIVED -> EnumSet.of(REVIVING, DELETED);
    };
  }

  /** Whether nobody may have to make it again for itself. */
  public boolean isSettled() {
    return this == BELOW || isDeleted();
  }

  /** Whether it was deleted, be it that it is made again for others. */
  public boolean isDeleted() {
    return this == DELETED || isRevived();
  }

  /** Whether it was deleted and is made again, out of sight. */
  public boolean isRevived() {
    return this == REVIVING || this == REVIVED;
  }

  /** Whether all of it can be read. */
  public boolean isAvailable() {
    return this == STORED || this == BELOW || this == REVIVED;
  }

  /** Whether it is there for its users, was complete, and cannot be read. */
  public boolean isLost() {
    return this == LOST || this == RECOMPUTING || this == INTERRUPTED;
  }

  /** Whether a recompute was begun that has not ended well: workers are not believed. */
  public boolean isDoubtful() {
    return this == RECOMPUTING || this == INTERRUPTED || this == REVIVING;
  }

  /** The state of this ordinal, or null. */
  static OutputState of(int ordinal) {
    return ordinal >= 0 && ordinal < ALL.length ? ALL[ordinal] : null;
  }
}

package dev.sailfish.lineage.qfs.append;

import java.util.Set;

/**
 * The states of one {@link RecordAppender}, and which may follow which.
 *
 * <pre>
 *                ┌──────────── refused, or its server is gone ───────┐
 *                ▼              │            │                       │
 *   (new) ──▶ UNBOUND ──▶ ALLOCATED ──▶ BOUND ◀──▶ RESERVED ◀──▶ APPENDING
 *               ▲ ▲             │            │                       │
 *               │ │             └─────┬──────┘                       │ no answer
 *               │ │                   ▼ no room                      ▼
 *               │ └───────────────  FULL                         IN_DOUBT
 *               └──────────────────────────────────────────────────┘
 *                                                  the outcome is known
 * </pre>
 *
 * <p>UNBOUND, BOUND and RESERVED become CLOSED when the appender is closed; each state but CLOSED
 * becomes FAILED when its deadline has passed or the metaserver will never allow the append.
 */
enum AppenderState {
  /** Has no chunk. */
  UNBOUND,
  /** The metaserver has named a chunk and its servers. */
  ALLOCATED,
  /** The servers of the chunk have given a write id each. */
  BOUND,
  /** Room in the chunk is set aside for the write id. */
  RESERVED,
  /** One append is on its way. */
  APPENDING,
  /** Nobody has said yet whether the last append is in the chunk. */
  IN_DOUBT,
  /** The chunk has no room; the write id is to be given back. */
  FULL,
  /** Takes nothing more; all that it took is in the file. */
  CLOSED,
  /** Takes nothing more; {@link RecordAppender} says why. */
  FAILED;

  Set<AppenderState> next() {
    return switch (this) {
      case UNBOUND -> Set.of(ALLOCATED, CLOSED, FAILED);
      case ALLOCATED -> Set.of(BOUND, UNBOUND, FULL, FAILED);
      case BOUND -> Set.of(RESERVED, UNBOUND, FULL, CLOSED, FAILED);
      case RESERVED -> Set.of(APPENDING, BOUND, CLOSED, FAILED);
      case APPENDING -> Set.of(RESERVED, UNBOUND, IN_DOUBT, FAILED);
      case IN_DOUBT, FULL -> Set.of(UNBOUND, FAILED);
      case CLOSED, FAILED -> Set.of();
    };
  }
}

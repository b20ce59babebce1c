package dev.sailfish.testkit.qfs;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What one chunkserver knows of the appends to one chunk: a row for each write id with the outcome
 * of its last append. Guarded by the cluster's lock.
 */
final class AppendTable {
  /**
   * What a chunk that is open for appends can be, with the number that the protocol gives it.
   *
   * <pre>
   *   OPEN -> CLOSED -> STABLE
   *   OPEN -> REPLICATION_FAILED -> STABLE
   *   OPEN -> STABLE
   * </pre>
   */
  enum State {
    OPEN(1, "open"),
    CLOSED(2, "closed"),
    REPLICATION_FAILED(3, "replication failed"),
    STABLE(4, "stable");

    final int number;
    final String text;

    State(int number, String text) {
      this.number = number;
      this.text = text;
    }

    Set<State> next() {
      return switch (this) {
        case OPEN -> EnumSet.of(CLOSED, REPLICATION_FAILED, STABLE);
        case CLOSED, REPLICATION_FAILED -> EnumSet.of(STABLE);
        case STABLE -> EnumSet.noneOf(State.class);
      };
    }
  }

  /** One write id. */
  static final class Row {
    boolean readOnly;
    int status;
    long offset = -1;
    long length;
    long sequence = -1;
    long count;
    long reserved;

    /** The connection that the reservation belongs to. */
    long connection;
  }

  final boolean master;
  final Map<Long, Row> rows = new HashMap<>();
  long reserved;
  private State state = State.OPEN;

  AppendTable(boolean master) {
    this.master = master;
  }

  State state() {
    return state;
  }

  /** Goes to another state; to the one it is in is nothing. */
  void become(State next) {
    if (next == state) {
      return;
    }
    if (!state.next().contains(next)) {
      throw new IllegalStateException("an append chunk cannot go from " + state + " to " + next);
    }
    state = next;
  }

  /**
   * The chunk is stable: what was not known of appends is.
   *
   * @param size of the chunk in bytes
   */
  void settle(long size) {
    become(State.STABLE);
    for (Row row : rows.values()) {
      if (row.status == QfsStatus.AGAIN) {
        row.status = row.offset + row.length <= size ? QfsStatus.OK : QfsStatus.FAILED_STATE;
      }
    }
  }

  /** Takes back what a write id has reserved and lets it append no more. */
  boolean makeReadOnly(Row row) {
    boolean before = row.readOnly;
    reserved -= row.reserved;
    row.reserved = 0;
    row.readOnly = true;
    return before;
  }
}

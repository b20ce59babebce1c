package dev.sailfish.ground.journal;

/**
 * What journals tell each other: Raft's messages, and one of {@link LeaderWatch}. Codes are part of
 * the protocol.
 */
enum PeerMessage {
  /** A peer wants to lead. */
  REQUEST_VOTE(1),
  /** The leader's entries, or only that it leads. */
  APPEND_ENTRIES(2),
  /** A piece of the leader's state for a peer that lacks entries which are not kept any more. */
  INSTALL_SNAPSHOT(3),
  /** The leader wants this peer to lead. */
  START_LEADER_ELECTION(4),
  /** The leader's process has ended: a peer asks who should be next. See {@link Standing}. */
  LEADER_ENDED(5);

  private final int code;

  PeerMessage(int code) {
    this.code = code;
  }

  /** The code on the wire. */
  int code() {
    return code;
  }

  /**
   * The message with this code.
   *
   * @throws JournalException BAD_REQUEST when there is none
   */
  static PeerMessage ofCode(int code) throws JournalException {
    for (PeerMessage message : values()) {
      if (message.code == code) {
        return message;
      }
    }
    throw new JournalException(
        JournalException.Reason.BAD_REQUEST,
        "journals have no such message: code="
            + Integer.toUnsignedString(code)
            + " known=1.."
            + values().length);
  }
}

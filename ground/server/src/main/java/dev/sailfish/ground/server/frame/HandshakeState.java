package dev.sailfish.ground.server.frame;

/**
 * How far a connection's handshake is, on the server's side.
 *
 * <pre>
 *              HELLO               key found or introduction wanted      right proof
 *   GREETING ─────────▶ FINDING_KEY ──────────────────────▶ PROVING ─────────────▶ DONE
 *      │  │                  │                                 │                    ▲
 *      │  └───────────────────────── HELLO, no authentication ─────────────────────┘
 *      └─────────────────────┴──────────────▶ REFUSED ◀────────┘
 * </pre>
 *
 * <p>An introduction goes from PROVING over ADMITTING to DONE, or to REFUSED. A user's token goes
 * from PROVING to NEGOTIATING, and from there back to PROVING for the next one, to DONE or to
 * REFUSED.
 */
enum HandshakeState {
  /** Waits for HELLO. */
  GREETING,
  /** HELLO has come; its answer waits for the principal's key. Nothing is read meanwhile. */
  FINDING_KEY,
  /** HELLO is answered; waits for AUTHENTICATE. */
  PROVING,
  /** An introduction has come with AUTHENTICATE and is looked at. Nothing is read meanwhile. */
  ADMITTING,
  /** A user's token has come with AUTHENTICATE and is looked at. Nothing is read meanwhile. */
  NEGOTIATING,
  /** Requests are served. */
  DONE,
  /** The last answer was given, and the connection ends. */
  REFUSED;

  /** Whether the table above has an arrow from this state to {@code next}. */
  boolean mayBecome(HandshakeState next) {
    return switch (this) {
      case GREETING -> next == FINDING_KEY || next == DONE || next == REFUSED;
      case FINDING_KEY -> next == PROVING || next == REFUSED;
      case PROVING -> next == ADMITTING || next == NEGOTIATING || next == DONE || next == REFUSED;
      case NEGOTIATING -> next == PROVING || next == DONE || next == REFUSED;
      case ADMITTING -> next == DONE || next == REFUSED;
      case DONE, REFUSED -> false;
    };
  }

  /** Whether this side works, and the peer has to wait. */
  boolean isWaitForUs() {
    return this == FINDING_KEY || this == ADMITTING || this == NEGOTIATING;
  }
}

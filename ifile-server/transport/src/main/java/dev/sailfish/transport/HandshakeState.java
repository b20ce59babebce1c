package dev.sailfish.transport;

/**
 * How far a connection's handshake is, on the server's side.
 *
 * <pre>
 *              HELLO                    key found or wanted           right proof
 *   GREETING ─────────▶ FINDING_KEY ──────────────────────▶ PROVING ─────────────▶ DONE
 *      │  │                  │                                 │                    ▲
 *      │  └───────────────────────── HELLO, no authentication ─────────────────────┘
 *      └─────────────────────┴──────────────▶ REFUSED ◀────────┘
 * </pre>
 *
 * <p>A proof with a key that was wanted goes from PROVING over BINDING_KEY to DONE, or to REFUSED.
 */
enum HandshakeState {
  /** Waits for HELLO. */
  GREETING,
  /** HELLO has come; its answer waits for the principal's key. Nothing is read meanwhile. */
  FINDING_KEY,
  /** HELLO is answered; waits for AUTHENTICATE. */
  PROVING,
  /** The key that came with AUTHENTICATE is being bound. Nothing is read meanwhile. */
  BINDING_KEY,
  /** Requests are served. */
  DONE,
  /** The last answer was given, and the connection ends. */
  REFUSED;

  /** Whether the table above has an arrow from this state to {@code next}. */
  boolean mayBecome(HandshakeState next) {
    return switch (this) {
      case GREETING -> next == FINDING_KEY || next == DONE || next == REFUSED;
      case FINDING_KEY -> next == PROVING || next == REFUSED;
      case PROVING -> next == BINDING_KEY || next == DONE || next == REFUSED;
      case BINDING_KEY -> next == DONE || next == REFUSED;
      case DONE, REFUSED -> false;
    };
  }
}

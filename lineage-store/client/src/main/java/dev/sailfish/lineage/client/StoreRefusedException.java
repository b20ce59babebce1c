package dev.sailfish.lineage.client;

import dev.sailfish.lineage.protocol.wire.Refusal;
import java.io.IOException;

/** The master did not do what was asked for, and changed nothing; the message says why. */
public final class StoreRefusedException extends IOException {
  private static final long serialVersionUID = 1;

  private final Refusal.Reason reason;

  StoreRefusedException(Refusal refusal) {
    super(refusal.getMessage());
    this.reason = refusal.getReason();
  }

  /** What is wrong. */
  public Refusal.Reason reason() {
    return reason;
  }
}

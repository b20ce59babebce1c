package dev.sailfish.lineage.protocol;

import java.io.IOException;

/** Bytes of a block, or of its tail, are not what was written. */
public final class DamagedBlockException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedBlockException(String message) {
    super(message);
  }
}

package dev.sailfish.blockstore;

import java.io.IOException;

/**
 * No place of the store could take a new segment. The message lists every place that was asked,
 * with its capacity, what is used and what was requested; an I/O error of a place is a suppressed
 * exception. The caller should wait, slow its writers down, or go to another node.
 */
public final class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The message says what was asked for, and what each place has. */
  public NoSpaceException(String message) {
    super(message);
  }
}

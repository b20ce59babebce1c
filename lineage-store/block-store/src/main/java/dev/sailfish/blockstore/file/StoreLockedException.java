package dev.sailfish.blockstore.file;

import java.io.IOException;

/**
 * A directory of the store is held by another live store, in this process or another one. Stop that
 * process or configure another directory; a dead process never holds a directory.
 */
public final class StoreLockedException extends IOException {
  private static final long serialVersionUID = 1L;

  StoreLockedException(String message) {
    super(message);
  }
}

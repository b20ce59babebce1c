package dev.sailfish.lineage.qfs.append;

import java.io.IOException;

/** An append is given up: the record is not in the file and will not be. */
public class AppendException extends IOException {
  private static final long serialVersionUID = 1;

  AppendException(String message, Throwable cause) {
    super(message, cause);
  }
}

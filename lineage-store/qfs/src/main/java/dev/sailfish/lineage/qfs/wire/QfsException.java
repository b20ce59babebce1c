package dev.sailfish.lineage.qfs.wire;

import java.io.IOException;

/** A server of QFS has refused a request. The connection stays usable. */
public final class QfsException extends IOException {
  private static final long serialVersionUID = 1;

  private final QfsError error;
  private final int status;
  private final String operation;
  private final String subject;

  /**
   * @param status as the reply said it, below zero
   * @param operation what was asked
   * @param subject the path or the chunk
   * @param where the server, and its words if it had some
   */
  public QfsException(int status, String operation, String subject, String where) {
    super(
        "%s of %s: %s (%s, status=%s) from %s"
            .formatted(
                operation,
                subject,
                QfsError.of(status).meaning(),
                QfsError.of(status),
                status,
                where));
    this.error = QfsError.of(status);
    this.status = status;
    this.operation = operation;
    this.subject = subject;
  }

  /** Why. */
  public QfsError error() {
    return error;
  }

  /** As the reply said it, below zero. */
  public int status() {
    return status;
  }

  /** What was asked. */
  public String operation() {
    return operation;
  }

  /** The path or the chunk that it was about. */
  public String subject() {
    return subject;
  }
}

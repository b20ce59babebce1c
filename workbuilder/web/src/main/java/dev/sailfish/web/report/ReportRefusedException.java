package dev.sailfish.web.report;

/** A report is not taken; the message says why. */
public final class ReportRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /** Why a report is not taken. */
  public enum Reason {
    /** It is no report, or one of another version. */
    WRONG,
    /** Nobody knows the job, or the signature is not its. */
    UNKNOWN,
    /** Nobody can be asked now for what signatures are checked with: try again. */
    LATER
  }

  private final Reason reason;

  ReportRefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }
}

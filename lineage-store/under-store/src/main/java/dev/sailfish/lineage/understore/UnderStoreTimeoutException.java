package dev.sailfish.lineage.understore;

/**
 * A call did not end before its deadline. Its thread may hang below until the under store answers,
 * and counts against the mount's threads meanwhile.
 */
public final class UnderStoreTimeoutException extends UnderStoreException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message says what did not end, where, after how long, and what to do
   */
  public UnderStoreTimeoutException(String message) {
    super(Reason.TIMEOUT, message);
  }
}

package dev.sailfish.testkit.qfs;

/**
 * One thing that goes wrong with the requests of one operation: after {@code skip} of them, for the
 * next {@code times}. Made by {@link QfsFaults#on}; the method that names what happens sets it.
 */
public final class QfsFault {
  /** What happens to a request that the fault hits. */
  enum Kind {
    REFUSE,
    LOSE_REPLY,
    LOSE_REQUEST,
    HANG,
    CLOSE_BEFORE,
    CLOSE_AFTER,
    CUT_BODY,
    CUT_HEADER,
    GARBAGE,
    OVERSIZED_HEADER,
    OVERSIZED_LENGTH,
    UNKNOWN_SEQUENCE,
    FLIP_BYTE,
    HOLD
  }

  private final QfsFaults faults;
  private final String operation;
  private int skip;
  private int times = 1;
  private Kind kind;
  private int value;

  QfsFault(QfsFaults faults, String operation) {
    this.faults = faults;
    this.operation = operation;
  }

  /** How many requests pass first; none unless said. */
  public QfsFault skip(int requests) {
    skip = requests;
    return this;
  }

  /** How many requests are hit; one unless said. */
  public QfsFault times(int requests) {
    times = requests;
    return this;
  }

  /** Every request is hit until {@link QfsFaults#clear()}. */
  public QfsFault always() {
    return times(Integer.MAX_VALUE);
  }

  /** Not carried out, answered with {@code status}. */
  public void refuse(int status) {
    value = status;
    set(Kind.REFUSE);
  }

  /** Carried out; the answer never comes, the connection stays. */
  public void loseReply() {
    set(Kind.LOSE_REPLY);
  }

  /** Not carried out and never answered; the connection stays. */
  public void loseRequest() {
    set(Kind.LOSE_REQUEST);
  }

  /** The connection stops here: nothing is read or answered until {@link QfsFaults#clear()}. */
  public void hang() {
    set(Kind.HANG);
  }

  /** Not carried out; the connection is closed. */
  public void closeBefore() {
    set(Kind.CLOSE_BEFORE);
  }

  /** Carried out; the connection is closed instead of an answer. */
  public void closeAfter() {
    set(Kind.CLOSE_AFTER);
  }

  /** Half of the answer's body, then the connection is closed. */
  public void cutBody() {
    set(Kind.CUT_BODY);
  }

  /** Half of the answer's header, then the connection is closed. */
  public void cutHeader() {
    set(Kind.CUT_HEADER);
  }

  /** Bytes that are no answer, the same each time; the connection stays. */
  public void garbage() {
    set(Kind.GARBAGE);
  }

  /** An answer whose header is longer than 16 KB. */
  public void oversizedHeader() {
    set(Kind.OVERSIZED_HEADER);
  }

  /** An answer that says that its body has a thousand billion bytes. */
  public void oversizedLength() {
    set(Kind.OVERSIZED_LENGTH);
  }

  /** An answer with a Cseq that nobody sent. */
  public void unknownSequence() {
    set(Kind.UNKNOWN_SEQUENCE);
  }

  /** One bit of the answer's body differs; its checksums do not. */
  public void flipByte() {
    set(Kind.FLIP_BYTE);
  }

  /**
   * The answer is held and comes after the connection's next one that is not held; several held
   * ones come in the reverse of their order. A client that sends nothing more waits for ever.
   */
  public void holdReply() {
    set(Kind.HOLD);
  }

  private void set(Kind what) {
    kind = what;
    faults.add(this);
  }

  String operation() {
    return operation;
  }

  Kind kind() {
    return kind;
  }

  int value() {
    return value;
  }

  /** Counts one request; whether it is hit. */
  boolean hits() {
    if (skip > 0) {
      skip--;
      return false;
    }
    if (times == 0) {
      return false;
    }
    if (times != Integer.MAX_VALUE) {
      times--;
    }
    return true;
  }
}

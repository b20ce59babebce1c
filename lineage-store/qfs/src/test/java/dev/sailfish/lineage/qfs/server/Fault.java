package dev.sailfish.lineage.qfs.server;

import dev.sailfish.testkit.qfs.QfsFault;
import java.util.function.Consumer;

/** Each thing that can go wrong with an answer. */
enum Fault {
  LOSE_REPLY(QfsFault::loseReply),
  LOSE_REQUEST(QfsFault::loseRequest),
  HANG(QfsFault::hang),
  CLOSE_BEFORE(QfsFault::closeBefore),
  CLOSE_AFTER(QfsFault::closeAfter),
  CUT_BODY(QfsFault::cutBody),
  CUT_HEADER(QfsFault::cutHeader),
  GARBAGE(QfsFault::garbage),
  OVERSIZED_HEADER(QfsFault::oversizedHeader),
  OVERSIZED_LENGTH(QfsFault::oversizedLength),
  UNKNOWN_SEQUENCE(QfsFault::unknownSequence),
  FLIP_BYTE(QfsFault::flipByte),
  BUSY(fault -> fault.refuse(-1004)),
  DISK_FAILED(fault -> fault.refuse(-5)),
  BAD_CHECKSUM(fault -> fault.refuse(-1002)),
  LEASE_EXPIRED(fault -> fault.refuse(-1001));

  private final Consumer<QfsFault> set;

  Fault(Consumer<QfsFault> set) {
    this.set = set;
  }

  void set(QfsFault fault) {
    set.accept(fault);
  }

  /** Whether it has an effect on an answer without a body. */
  boolean withoutBody() {
    return this != FLIP_BYTE && this != CUT_BODY;
  }
}

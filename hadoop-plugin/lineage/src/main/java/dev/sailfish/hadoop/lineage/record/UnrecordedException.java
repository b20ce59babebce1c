package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import java.io.IOException;

/** There can be no record of a job; the message says why. */
final class UnrecordedException extends IOException {
  private static final long serialVersionUID = 1;

  private final RecordObstacle obstacle;

  UnrecordedException(RecordObstacle obstacle, String message) {
    this(obstacle, message, null);
  }

  UnrecordedException(RecordObstacle obstacle, String message, Throwable cause) {
    super(message, cause);
    this.obstacle = obstacle;
  }

  /** What is in the way. */
  RecordObstacle obstacle() {
    return obstacle;
  }
}

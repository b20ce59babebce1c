package dev.sailfish.workbuilder.plan;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.workbuilder.plan.stored.StoredTask;

/**
 * What one reduce task is told of its plan: its own work, and how many there are.
 *
 * @param work of the task
 * @param works in the plan
 */
public record TaskWork(ReduceWork work, int works) {
  private static final int VERSION = 1;

  /** Checks the number. */
  public TaskWork {
    if (work.number() < 0 || work.number() >= works) {
      throw new IllegalArgumentException(work + " is not among works=" + works);
    }
  }

  /** The bytes that {@link #decode} takes: the message StoredTask, sealed as plans are. */
  public byte[] encode() {
    return Sealed.seal(
        StoredTask.newBuilder()
            .setVersion(VERSION)
            .setWorks(works)
            .setNumber(work.number())
            .setWork(PlanCodec.encode(work))
            .build());
  }

  /**
   * The work again.
   *
   * @throws CorruptFormatException when these are not the bytes of a work
   * @throws UnsupportedFormatException when a newer release wrote them
   */
  public static TaskWork decode(byte[] bytes) throws FormatException {
    try {
      StoredTask stored = StoredTask.parseFrom(Sealed.open("reduce work", bytes));
      UnsupportedFormatException.check("reduce work", stored.getVersion(), VERSION);
      return new TaskWork(
          PlanCodec.decode(stored.getNumber(), stored.getWork()), stored.getWorks());
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new CorruptFormatException("reduce work is malformed: " + e.getMessage());
    }
  }
}

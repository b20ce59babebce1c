package dev.sailfish.web.source.yarn;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A task of a job. Times are milliseconds since 1970, 0 where there is none.
 *
 * @param id {@code task_…_m_000001}
 * @param map whether it is a map, else a reduce task
 * @param attempt the attempt that succeeded; empty: none has
 */
public record TaskFacts(
    String id,
    boolean map,
    Phase phase,
    long startedMs,
    long finishedMs,
    long elapsedMs,
    String attempt) {
  /** How far a task is. */
  public enum Phase {
    /** It has no container. */
    WAITING,
    /** An attempt of it runs. */
    RUNNING,
    /** It has succeeded. */
    DONE,
    /** It has failed, or was killed. */
    FAILED
  }

  static TaskFacts of(JsonNode task) {
    return new TaskFacts(
        task.path("id").asText(),
        task.path("type").asText().equals("MAP"),
        phase(task.path("state").asText()),
        task.path("startTime").asLong(),
        task.path("finishTime").asLong(),
        task.path("elapsedTime").asLong(),
        task.path("successfulAttempt").asText(""));
  }

  private static Phase phase(String state) {
    return switch (state) {
      case "RUNNING" -> Phase.RUNNING;
      case "SUCCEEDED" -> Phase.DONE;
      case "FAILED", "KILLED" -> Phase.FAILED;
      default -> Phase.WAITING;
    };
  }

  /** The number of the task among those of its type, from 0; -1 for an id of another form. */
  public int number() {
    String digits = id.substring(id.lastIndexOf('_') + 1);
    return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : -1;
  }
}

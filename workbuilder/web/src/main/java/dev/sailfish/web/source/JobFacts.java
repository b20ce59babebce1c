package dev.sailfish.web.source;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A job, as its ApplicationMaster or the history server tells it. Times are milliseconds since
 * 1970, 0 where there is none.
 *
 * @param queue empty where it is not told
 * @param diagnostics may be empty
 */
public record JobFacts(
    String id,
    String name,
    String user,
    String queue,
    JobState state,
    long submittedMs,
    long startedMs,
    long finishedMs,
    int maps,
    int mapsDone,
    int reduces,
    int reducesDone,
    String diagnostics) {

  static JobFacts of(JsonNode job) {
    return new JobFacts(
        job.path("id").asText(),
        job.path("name").asText(),
        job.path("user").asText(),
        job.path("queue").asText(""),
        state(job.path("state").asText()),
        job.path("submitTime").asLong(),
        job.path("startTime").asLong(),
        job.path("finishTime").asLong(),
        job.path("mapsTotal").asInt(),
        job.path("mapsCompleted").asInt(),
        job.path("reducesTotal").asInt(),
        job.path("reducesCompleted").asInt(),
        job.path("diagnostics").asText(""));
  }

  private static JobState state(String state) {
    return switch (state) {
      case "SUCCEEDED" -> JobState.SUCCEEDED;
      case "FAILED", "ERROR" -> JobState.FAILED;
      case "KILLED" -> JobState.KILLED;
      default -> JobState.RUNNING;
    };
  }
}

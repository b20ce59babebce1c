package dev.sailfish.web.source.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.web.source.JsonPages;

/**
 * A job, as its ApplicationMaster or the history server tells it. Times are milliseconds since
 * 1970, 0 where there is none.
 *
 * @param queue empty where it is not told
 * @param diagnostics may be empty
 * @param viewAcl who may see it, as {@code mapreduce.job.acl-view-job}; null where it is not told
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
    String diagnostics,
    String viewAcl) {
  private static final String VIEW = "mapreduce.job.acl-view-job";

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
        job.path("diagnostics").asText(""),
        viewAcl(job.path("acls")));
  }

  /** There are none where the cluster has none, or where this process may not see the job. */
  private static String viewAcl(JsonNode lists) {
    for (JsonNode list : JsonPages.elements(lists)) {
      if (list.path("name").asText().equals(VIEW)) {
        return list.path("value").asText("");
      }
    }
    return null;
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

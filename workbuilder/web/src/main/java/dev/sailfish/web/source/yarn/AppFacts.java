package dev.sailfish.web.source.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Pattern;

/**
 * An application of MapReduce, as the ResourceManager tells it. Times are milliseconds since 1970,
 * 0 where there is none yet.
 *
 * @param id {@code application_…}
 * @param progress from 0 to 100
 */
public record AppFacts(
    String id,
    String name,
    String user,
    String queue,
    JobState state,
    long submittedMs,
    long startedMs,
    long finishedMs,
    String diagnostics,
    double progress) {
  private static final String APPLICATION = "application_";
  private static final String JOB = "job_";
  private static final Pattern JOB_OF_YARN = Pattern.compile("job_[0-9]+_[0-9]+");

  static AppFacts of(JsonNode app) {
    return new AppFacts(
        app.path("id").asText(),
        app.path("name").asText(),
        app.path("user").asText(),
        app.path("queue").asText(),
        state(app.path("state").asText(), app.path("finalStatus").asText()),
        app.path("startedTime").asLong(),
        app.path("launchTime").asLong(),
        app.path("finishedTime").asLong(),
        app.path("diagnostics").asText(""),
        app.path("progress").asDouble());
  }

  private static JobState state(String state, String finalStatus) {
    return switch (state) {
      case "FINISHED" -> JobState.of(finalStatus);
      case "FAILED" -> JobState.FAILED;
      case "KILLED" -> JobState.KILLED;
      // An ApplicationMaster has said how it ends, and is about to.
      case "RUNNING", "FINISHING" -> JobState.RUNNING;
      default -> JobState.SUBMITTED;
    };
  }

  /** The id of its job, {@code job_…}. */
  public String job() {
    return jobOf(id);
  }

  /** The id of an application's job. */
  public static String jobOf(String application) {
    return application.replace(APPLICATION, JOB);
  }

  /** The id of the application of a job; empty for a job that is none of YARN's. */
  public static String applicationOf(String job) {
    return JOB_OF_YARN.matcher(job).matches() ? APPLICATION + job.substring(JOB.length()) : "";
  }
}

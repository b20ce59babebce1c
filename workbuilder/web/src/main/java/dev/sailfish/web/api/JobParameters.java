package dev.sailfish.web.api;

import dev.sailfish.web.job.JobQuery;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;

/** What a request says of which jobs it asks for; set by the framework. */
public class JobParameters {
  @QueryParam("text")
  @DefaultValue("")
  @Parameter(description = "Part of id, name or user, in any case")
  String text;

  @QueryParam("state")
  @DefaultValue("")
  @Parameter(description = "SUBMITTED, RUNNING, SUCCEEDED, FAILED, KILLED or UNKNOWN")
  String state;

  @QueryParam("user")
  @DefaultValue("")
  String user;

  @QueryParam("queue")
  @DefaultValue("")
  String queue;

  @QueryParam("mode")
  @DefaultValue("")
  @Parameter(description = "auto, fixed, plug-in or unknown")
  String mode;

  @QueryParam("level")
  @DefaultValue("")
  @Parameter(description = "ok, watch or bad")
  String level;

  @QueryParam("sort")
  @DefaultValue("-submitted")
  @Parameter(description = JobQuery.SORTS + "; with a minus before it, the largest first")
  String sort;

  @QueryParam("page")
  @DefaultValue("0")
  @Parameter(description = "From 0")
  String page;

  @QueryParam("size")
  @DefaultValue("50")
  @Parameter(description = "In 1..1000")
  String size;

  /** What is asked for without any parameter. */
  static JobQuery usual() {
    return new JobQuery("", "", "", "", "", "", "-submitted", 0, 50);
  }

  /** The query; a problem when it is none. */
  JobQuery query() {
    try {
      return new JobQuery(
          text, state, user, queue, mode, level, sort, number("page", page), number("size", size));
    } catch (IllegalArgumentException e) {
      throw new ProblemException(Response.Status.BAD_REQUEST, e.getMessage());
    }
  }

  private static int number(String name, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + text + " must be a whole number", e);
    }
  }
}

package dev.sailfish.web.source.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.web.source.JsonPages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** YARN's applications of MapReduce, over REST. Thread-safe. */
public final class ResourceManager {
  private static final String APPS = "/ws/v1/cluster/apps";
  private static final String OF_MAPREDUCE =
      "applicationTypes=MAPREDUCE&deSelects=resourceRequests&states=";

  private final JsonPages pages;

  /**
   * @param pages of the ResourceManager's web server
   */
  public ResourceManager(JsonPages pages) {
    this.pages = pages;
  }

  /** Those that have not ended. */
  public List<AppFacts> living() throws IOException {
    return list(OF_MAPREDUCE + "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING");
  }

  /**
   * Those that have ended since then, the ResourceManager's newest at most.
   *
   * @param sinceMs milliseconds since 1970, by the ResourceManager's clock
   * @param most how many
   */
  public List<AppFacts> endedSince(long sinceMs, int most) throws IOException {
    return list(
        OF_MAPREDUCE + "FINISHED,FAILED,KILLED&finishedTimeBegin=" + sinceMs + "&limit=" + most);
  }

  private List<AppFacts> list(String query) throws IOException {
    List<AppFacts> apps = new ArrayList<>();
    Optional<JsonNode> answer = pages.get(APPS + "?" + query);
    if (answer.isPresent()) {
      for (JsonNode app : JsonPages.elements(answer.get().path("apps").path("app"))) {
        apps.add(AppFacts.of(app));
      }
    }
    return apps;
  }

  /** One of them; empty when the ResourceManager does not know it (any more). */
  public Optional<AppFacts> find(String application) throws IOException {
    return pages
        .get(APPS + "/" + application)
        .map(answer -> answer.path("app"))
        .filter(JsonNode::isObject)
        .map(AppFacts::of);
  }

  /** What the ApplicationMaster of an application tells, through the ResourceManager's proxy. */
  public JobPages applicationMaster(String application) {
    return new JobPages(pages.ofUsers(), "/proxy/" + application + "/ws/v1/mapreduce/jobs");
  }

  /** The page of an application for people. */
  public String link(String application) {
    return pages.base() + "/cluster/app/" + application;
  }
}

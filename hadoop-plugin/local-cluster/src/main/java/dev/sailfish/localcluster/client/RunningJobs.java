package dev.sailfish.localcluster.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.localcluster.SiteFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds the job that a program runs now, and asks how far it is: the ResourceManager, and through
 * its proxy the job's ApplicationMaster, both by their REST services. For one thread.
 */
public final class RunningJobs {
  /** Key of a job with its tags, commas between them. */
  public static final String TAGS = "mapreduce.job.tags";

  private static final String PLAN = "Reduce work: ";

  private final RestClient resourceManager;
  private final String tag;

  /**
   * @param resourceManager {@code http://host:port} of its web server
   * @param tag of all jobs of the program, and of no others
   */
  RunningJobs(String resourceManager, String tag) {
    this.resourceManager = new RestClient(resourceManager);
    this.tag = tag;
  }

  /** Those of a cluster; empty when its configuration does not name its ResourceManager's web. */
  public static Optional<RunningJobs> of(Path conf, String tag) {
    Path site = conf.resolve("yarn-site.xml");
    return SiteFile.value(site, "yarn.resourcemanager.webapp.address")
        .or(() -> SiteFile.value(site, "yarn.resourcemanager.hostname").map(host -> host + ":8088"))
        .map(web -> new RunningJobs("http://" + web, tag));
  }

  /**
   * What the jobs of the program that are over had as their plans, as {@link RunningJob#plan} says,
   * by the ids of those that had one; empty when nobody answers.
   */
  public SortedMap<String, String> plansOfEnded() {
    SortedMap<String, String> plans = new TreeMap<>();
    String path = "/ws/v1/cluster/apps?states=FINISHED,FAILED,KILLED&applicationTags=" + tag;
    for (JsonNode application : resourceManager.elements(path, "/apps/app")) {
      String plan = plan(application.path("diagnostics").asText());
      if (!plan.isEmpty()) {
        plans.put(job(application), plan);
      }
    }
    return plans;
  }

  private static String job(JsonNode application) {
    return application.path("id").asText().replace("application_", "job_");
  }

  /** The job that runs; empty when none does, or when nobody answers. */
  public Optional<RunningJob> current() {
    List<JsonNode> running =
        resourceManager.elements(
            "/ws/v1/cluster/apps?states=RUNNING&applicationTags=" + tag, "/apps/app");
    if (running.isEmpty()) {
      return Optional.empty();
    }
    String application = running.get(0).path("id").asText();
    String id = job(running.get(0));
    String path = "/proxy/" + application + "/ws/v1/mapreduce/jobs/" + id;
    return resourceManager
        .get(path)
        .map(answer -> answer.path("job"))
        .filter(job -> job.has("mapsTotal"))
        .map(job -> running(id, job, path + "/counters"));
  }

  private RunningJob running(String id, JsonNode job, String counters) {
    int mapsDone = job.path("mapsCompleted").asInt();
    int maps = job.path("mapsTotal").asInt();
    return new RunningJob(
        id,
        mapsDone,
        maps,
        job.path("reducesCompleted").asInt(),
        job.path("reducesTotal").asInt(),
        plan(job.path("diagnostics").asText()),
        mapsDone < maps ? 0 : readBytes(counters));
  }

  /** Without anything that a terminal could take for a command. */
  private static String plan(String diagnostics) {
    int at = diagnostics.indexOf(PLAN);
    return at < 0
        ? ""
        : diagnostics.substring(at).lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
  }

  private long readBytes(String counters) {
    for (JsonNode group : resourceManager.elements(counters, "/jobCounters/counterGroup")) {
      for (JsonNode counter : RestClient.elements(group.path("counter"))) {
        if (counter.path("name").asText().equals("REDUCE_SHUFFLE_BYTES")) {
          return counter.path("totalCounterValue").asLong();
        }
      }
    }
    return 0;
  }
}

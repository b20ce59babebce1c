package dev.sailfish.benchmarks.jobs.measure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.localcluster.Await;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.RestClient;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What ResourceManager, ApplicationMaster and JobHistoryServer know of jobs, asked over their REST
 * services: works for any job jar, because jobs are found by the tag that their client was given.
 */
public final class JobHistory {
  /** Configuration key with which a job is tagged. */
  static final String TAGS_KEY = "mapreduce.job.tags";

  private static final double MS_PER_SECOND = 1_000;
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(500);

  private final RestClient resourceManager;
  private final RestClient historyServer;

  /** Asks the daemons of a running cluster. */
  public JobHistory(ClusterState cluster) {
    resourceManager = new RestClient(cluster.resourceManager().web());
    historyServer = new RestClient(cluster.historyServer().web());
  }

  /** Progress in percent of the youngest application with this tag, if it runs. */
  OptionalDouble progress(String tag) {
    return applications(tag).stream()
        .filter(application -> application.path("state").asText().equals("RUNNING"))
        .mapToDouble(application -> application.path("progress").asDouble())
        .findFirst();
  }

  /** The application with this tag, once half of its reduce tasks are done and while it runs. */
  Optional<String> halfReduced(String tag) {
    return applications(tag).stream()
        .filter(application -> application.path("state").asText().equals("RUNNING"))
        .map(application -> application.path("id").asText())
        .filter(
            id ->
                resourceManager
                    .elements("/proxy/" + id + "/ws/v1/mapreduce/jobs", "/jobs/job")
                    .stream()
                    .anyMatch(JobHistory::isHalfReduced))
        .findFirst();
  }

  /** By what an ApplicationMaster says of its job, which may have no reduce task yet. */
  static boolean isHalfReduced(JsonNode job) {
    long reduces = job.path("reducesTotal").asLong();
    return reduces > 0 && 2 * job.path("reducesCompleted").asLong() >= reduces;
  }

  /** What is recorded of the jobs with this tag; an error when there is none. */
  JobMetrics metrics(String tag) {
    List<String> applications = ids(tag);
    if (applications.isEmpty()) {
      throw new CommandException(
          "The ResourceManager knows no application with the tag " + tag + ".");
    }
    return JobMetrics.sum(applications.stream().map(this::metricsOf).toList());
  }

  /** What is recorded of the job of one application, once it has ended. */
  public JobMetrics metricsOf(String application) {
    return metricsOfJob(application.replaceFirst("application", "job"));
  }

  /** The ids of YARN's applications with this tag, those that run too. */
  public List<String> ids(String tag) {
    return applications(tag).stream().map(one -> one.path("id").asText()).sorted().toList();
  }

  private List<JsonNode> applications(String tag) {
    return resourceManager.elements("/ws/v1/cluster/apps?applicationTags=" + tag, "/apps/app");
  }

  private JobMetrics metricsOfJob(String id) {
    String path = "/ws/v1/history/mapreduce/jobs/" + id;
    new Await(DEADLINE, POLL)
        .until(
            () ->
                historyServer
                    .get(path)
                    .filter(answer -> answer.path("job").path("finishTime").asLong() > 0)
                    .isPresent(),
            () ->
                "The JobHistoryServer knows nothing of %s after %d s."
                    .formatted(id, DEADLINE.toSeconds()));
    return parse(answer(path), answer(path + "/tasks"), answer(path + "/counters"));
  }

  private JsonNode answer(String path) {
    return historyServer
        .get(path)
        .orElseThrow(
            () -> new CommandException("The JobHistoryServer did not answer for " + path + "."));
  }

  static JobMetrics parse(JsonNode jobAnswer, JsonNode tasksAnswer, JsonNode countersAnswer) {
    JsonNode job = jobAnswer.path("job");
    List<JsonNode> tasks = RestClient.elements(tasksAnswer.at("/tasks/task"));
    Map<String, Long> counters = counters(countersAnswer);
    return new JobMetrics(
        job.path("state").asText().equals("SUCCEEDED"),
        (job.path("finishTime").asLong() - job.path("submitTime").asLong()) / MS_PER_SECOND,
        phaseSeconds(tasks, "MAP"),
        phaseSeconds(tasks, "REDUCE"),
        counters.getOrDefault("TOTAL_LAUNCHED_MAPS", 0L) - of(tasks, "MAP").size(),
        counters.getOrDefault("TOTAL_LAUNCHED_REDUCES", 0L) - of(tasks, "REDUCE").size(),
        taskSeconds(tasks, "MAP"),
        taskSeconds(tasks, "REDUCE"),
        counters);
  }

  private static List<JsonNode> of(List<JsonNode> tasks, String type) {
    return tasks.stream().filter(task -> task.path("type").asText().equals(type)).toList();
  }

  private static List<Double> taskSeconds(List<JsonNode> tasks, String type) {
    return of(tasks, type).stream()
        .sorted(Comparator.comparing(task -> task.path("id").asText()))
        .map(
            task ->
                (task.path("finishTime").asLong() - task.path("startTime").asLong())
                    / MS_PER_SECOND)
        .toList();
  }

  private static double phaseSeconds(List<JsonNode> tasks, String type) {
    List<JsonNode> phase = of(tasks, type);
    long start = phase.stream().mapToLong(task -> task.path("startTime").asLong()).min().orElse(0);
    long finish =
        phase.stream().mapToLong(task -> task.path("finishTime").asLong()).max().orElse(0);
    return (finish - start) / MS_PER_SECOND;
  }

  private static Map<String, Long> counters(JsonNode answer) {
    Map<String, Long> counters = new HashMap<>();
    for (JsonNode group : RestClient.elements(answer.at("/jobCounters/counterGroup"))) {
      for (JsonNode counter : RestClient.elements(group.path("counter"))) {
        counters.merge(
            counter.path("name").asText(), counter.path("totalCounterValue").asLong(), Long::sum);
      }
    }
    return counters;
  }
}

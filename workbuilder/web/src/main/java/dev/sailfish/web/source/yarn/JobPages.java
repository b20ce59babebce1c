package dev.sailfish.web.source.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.web.source.JsonPages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What an ApplicationMaster, or the history server, tells of jobs of MapReduce; both tell it in the
 * same form. Thread-safe.
 */
public final class JobPages {
  private static final String TASKS = "/tasks";

  private final JsonPages pages;
  private final String prefix;

  JobPages(JsonPages pages, String prefix) {
    this.pages = pages;
    this.prefix = prefix;
  }

  /** Of the history server. */
  public static JobPages ofHistory(JsonPages pages) {
    return new JobPages(pages.ofUsers(), "/ws/v1/history/mapreduce/jobs");
  }

  /** The page of a job for people, at the history server. */
  public String link(String job) {
    return pages.base() + "/jobhistory/job/" + job;
  }

  /**
   * The jobs that it knows, the newest at most.
   *
   * @param most how many
   */
  public List<JobFacts> list(int most) throws IOException {
    List<JobFacts> jobs = new ArrayList<>();
    Optional<JsonNode> answer = pages.get(prefix + "?limit=" + most);
    if (answer.isPresent()) {
      for (JsonNode job : JsonPages.elements(answer.get().path("jobs").path("job"))) {
        jobs.add(JobFacts.of(job));
      }
    }
    return jobs;
  }

  /** A job; empty when it is not there. */
  public Optional<JobFacts> job(String job) throws IOException {
    return pages
        .get(prefix + "/" + job)
        .map(answer -> answer.path("job"))
        .filter(found -> found.has("id"))
        .map(JobFacts::of);
  }

  /** What the configuration of a job says of its shuffle; empty when it is not there. */
  public Optional<ConfigurationFacts> configuration(String job) throws IOException {
    return pages
        .get(prefix + "/" + job + "/conf")
        .map(answer -> answer.path("conf"))
        .filter(conf -> conf.path("property").isArray())
        .map(ConfigurationFacts::of);
  }

  /** All counters of a job; none when it is not there. */
  public List<CounterFacts> counters(String job) throws IOException {
    List<CounterFacts> counters = new ArrayList<>();
    Optional<JsonNode> answer = pages.get(prefix + "/" + job + "/counters");
    if (answer.isEmpty()) {
      return counters;
    }
    for (JsonNode group : JsonPages.elements(answer.get().at("/jobCounters/counterGroup"))) {
      String name = group.path("counterGroupName").asText();
      for (JsonNode counter : JsonPages.elements(group.path("counter"))) {
        counters.add(
            new CounterFacts(
                name,
                counter.path("name").asText(),
                counter.path("mapCounterValue").asLong(),
                counter.path("reduceCounterValue").asLong(),
                counter.path("totalCounterValue").asLong()));
      }
    }
    return counters;
  }

  /**
   * All tasks of a job; none when it is not there. An ApplicationMaster is its user's program, and
   * may call anything a task; names of tasks become parts of addresses, so others are left out.
   */
  public List<TaskFacts> tasks(String job) throws IOException {
    List<TaskFacts> tasks = new ArrayList<>();
    String numbers = job.substring(job.indexOf('_') + 1);
    Pattern own = Pattern.compile("task_" + Pattern.quote(numbers) + "_[mr]_[0-9]{1,9}");
    Optional<JsonNode> answer = pages.get(prefix + "/" + job + TASKS);
    if (answer.isPresent()) {
      for (JsonNode task : JsonPages.elements(answer.get().at("/tasks/task"))) {
        TaskFacts facts = TaskFacts.of(task);
        if (own.matcher(facts.id()).matches()) {
          tasks.add(facts);
        }
      }
    }
    return tasks;
  }

  /** The counters of a task, by name without their groups; none when it is not there. */
  public Map<String, Long> taskCounters(String job, String task) throws IOException {
    Map<String, Long> counters = new HashMap<>();
    Optional<JsonNode> answer = pages.get(prefix + "/" + job + TASKS + "/" + task + "/counters");
    if (answer.isEmpty()) {
      return counters;
    }
    for (JsonNode group :
        JsonPages.elements(answer.get().at("/jobTaskCounters/taskCounterGroup"))) {
      for (JsonNode counter : JsonPages.elements(group.path("counter"))) {
        counters.put(counter.path("name").asText(), counter.path("value").asLong());
      }
    }
    return counters;
  }

  /** The attempt of a task that began last; empty when there is none. */
  public Optional<AttemptFacts> lastAttempt(String job, String task) throws IOException {
    return pages
        .get(prefix + "/" + job + TASKS + "/" + task + "/attempts")
        .map(answer -> JsonPages.elements(answer.at("/taskAttempts/taskAttempt")))
        .filter(attempts -> !attempts.isEmpty())
        .map(attempts -> AttemptFacts.of(attempts.get(attempts.size() - 1)));
  }
}

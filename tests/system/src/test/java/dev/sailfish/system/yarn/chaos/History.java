package dev.sailfish.system.yarn.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.localcluster.Await;
import dev.sailfish.localcluster.RestClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What ResourceManager and JobHistoryServer say of a job that has ended. */
final class History {
  private static final String JOBS = "/ws/v1/history/mapreduce/jobs/";
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(300);

  private final RestClient resourceManager;
  private final RestClient historyServer;

  History(ChaosCluster cluster) {
    resourceManager = cluster.resourceManager();
    historyServer = cluster.historyServer();
  }

  /** Applications with this tag; more than one only if the client was run twice. */
  List<JsonNode> applications(String tag) {
    return resourceManager
        .get("/ws/v1/cluster/apps?applicationTags=" + tag)
        .map(answer -> RestClient.elements(answer.path("apps").path("app")))
        .orElse(List.of());
  }

  /** All attempts of an application's tasks; none when it left no history. */
  List<EndedAttempt> attempts(JsonNode application) {
    String job = application.path("id").asText().replaceFirst("application", "job");
    boolean known =
        new Await(DEADLINE, POLL)
            .holdsInTime(() -> historyServer.get(JOBS + job + "/tasks").isPresent());
    List<EndedAttempt> attempts = new ArrayList<>();
    if (known) {
      JsonNode tasks = historyServer.get(JOBS + job + "/tasks").orElseThrow();
      for (JsonNode task : RestClient.elements(tasks.path("tasks").path("task"))) {
        historyServer
            .get(JOBS + job + "/tasks/" + task.path("id").asText() + "/attempts")
            .ifPresent(answer -> add(answer, attempts));
      }
    }
    return attempts;
  }

  private static void add(JsonNode answer, List<EndedAttempt> attempts) {
    for (JsonNode one : RestClient.elements(answer.path("taskAttempts").path("taskAttempt"))) {
      attempts.add(
          new EndedAttempt(
              one.path("id").asText(),
              one.path("state").asText(),
              one.path("diagnostics").asText()));
    }
  }
}

package dev.sailfish.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The daemon, without a store and without YARN. */
@Timeout(180)
class WorkflowManagerTest {
  private static Settings settings(Map<String, String> more) {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "bind", "127.0.0.1",
                "web.port", "0",
                "authentication", "none",
                "master.address", "127.0.0.1:" + FreePort.next()));
    values.putAll(more);
    Settings settings = Settings.of(Map.of());
    for (Map.Entry<String, String> value : values.entrySet()) {
      settings = settings.with(WorkflowKey.ALL.prefix() + value.getKey(), value.getValue());
    }
    return settings;
  }

  private static HttpResponse<String> page(WorkflowManager manager, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + manager.webPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void servesItsPagesAndSaysWhatIsWrong() throws Exception {
    try (WorkflowManager manager =
        WorkflowManager.start(settings(Map.of()), new Configuration(), store -> null)) {
      assertThat(page(manager, "/health").statusCode()).isEqualTo(200);
      await("the store does not answer")
          .atMost(Duration.ofSeconds(90))
          .untilAsserted(
              () ->
                  assertThat(page(manager, "/status").body())
                      .contains(
                          "no lineage master answers",
                          "sailfish.workflow.master.address",
                          "yarn.cluster.max-application-priority is 0",
                          "\"state\":\"STANDBY\"",
                          "\"steps\":[]",
                          "\"sailfish_workflow_leads\":0"));
      assertThat(page(manager, "/ready").statusCode()).isEqualTo(503);
      assertThat(page(manager, "/metrics").body()).contains("sailfish_workflow_steps_failed_total");
      assertThat(manager.place()).isEqualTo("web=" + manager.webPort());
    }
  }

  @Test
  void whatIsWrongIsSeenBeforeItStarts() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkflowKey.checked(settings(Map.of("name", "A B"))))
        .withMessageContaining("sailfish.workflow.name=A B");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkflowKey.checked(settings(Map.of("steps", "0"))))
        .withMessageContaining("sailfish.workflow.steps=0");
    assertThatIOException()
        .isThrownBy(
            () ->
                WorkflowKey.checked(
                    settings(Map.of("authentication", "", "cluster.secret.file", "/nowhere"))))
        .withMessageContaining("/nowhere");
  }
}

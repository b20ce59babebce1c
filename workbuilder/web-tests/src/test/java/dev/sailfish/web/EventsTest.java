package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Server-sent events of jobs that reports tell of. */
class EventsTest {
  @TempDir Path directory;
  private WebProcess web;

  @BeforeEach
  void start() throws IOException {
    web =
        WebProcess.start(
            directory, Map.of("authentication", "none", "metaserver.address", "127.0.0.1:1"));
  }

  @AfterEach
  void stop() {
    web.close();
  }

  private HttpRequest topic(String name) {
    return web.request("/api/v1/events?topic=" + name).timeout(Duration.ofSeconds(30)).build();
  }

  private void report(int sequence, String why) throws Exception {
    String body =
        "{\"version\":1,\"sequence\":%d,\"attempt\":1,\"mode\":\"auto\",\"why\":\"%s\",\"plan\":null}"
            .formatted(sequence, why);
    assertThat(web.post("/api/v1/reports/job_1_1", body).statusCode()).isEqualTo(204);
  }

  @Test
  void theStateComesAtOnceAndWheneverItChanges() throws Exception {
    try (Stream jobs = new Stream(HttpClient.newHttpClient(), topic("jobs"))) {
      assertThat(jobs.next("jobs").path("total").asInt()).isZero();
      report(1, "one");
      assertThat(jobs.next("jobs").path("total").asInt()).isEqualTo(1);
    }
    try (Stream job = new Stream(HttpClient.newHttpClient(), topic("job:job_1_1"))) {
      JsonNode first = job.next("job:job_1_1");
      assertThat(first.path("id").asText()).isEqualTo("job_1_1");
      report(2, "two");
      assertThat(job.next("job:job_1_1").path("heardMs").asLong())
          .isGreaterThan(first.path("heardMs").asLong());
    }
    try (Stream cluster = new Stream(HttpClient.newHttpClient(), topic("cluster"));
        Stream store = new Stream(HttpClient.newHttpClient(), topic("store"))) {
      assertThat(cluster.next("cluster").has("servers")).isTrue();
      assertThat(store.next("store").path("present").asBoolean()).isFalse();
    }
  }

  @Test
  void clientsAreBoundedAndLeaveNothingBehind() throws Exception {
    report(1, "one");
    HttpClient http = HttpClient.newHttpClient();
    List<Stream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        Stream stream = new Stream(http, topic("job:job_1_1"));
        stream.next("job:job_1_1");
        streams.add(stream);
      }
      HttpResponse<String> refused = web.send(topic("jobs"));
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(web.get("/api/v1/jobs").statusCode()).isEqualTo(200);
    } finally {
      for (Stream stream : streams) {
        stream.close();
      }
    }
    // A client that has gone is found when something is sent to it.
    int[] sequence = {1};
    Awaitility.await("clients that have gone")
        .atMost(WebProcess.DEADLINE)
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              report(++sequence[0], "again");
              return web.get("/metrics", "Accept", "text/plain")
                  .body()
                  .contains("sailfish_web_event_clients 0.0");
            });
  }
}

package dev.sailfish.web.source.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sailfish.web.source.JsonPages;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobPagesTest {
  private static final String TASKS =
      """
      {"tasks": {"task": [
        {"id": "task_1_0001_m_000000", "type": "MAP"},
        {"id": "task_1_0001_r_000012", "type": "REDUCE"},
        {"id": "task_1_0002_m_000000", "type": "MAP"},
        {"id": "../../../../proxy/application_1_0002/ws/v1/task_1_0001_m_000001", "type": "MAP"},
        {"id": "task_1_0001_m_000002?", "type": "MAP"}]}}
      """;

  private HttpServer master;

  @BeforeEach
  void start() throws IOException {
    master = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    master.createContext(
        "/ws/v1/history/mapreduce/jobs/job_1_0001/tasks",
        exchange -> {
          byte[] answer = TASKS.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    master.start();
  }

  @AfterEach
  void stop() {
    master.stop(0);
  }

  @Test
  void onlyTheTasksOfTheJobAreBelieved() throws IOException {
    String base = "http://127.0.0.1:" + master.getAddress().getPort();
    JsonPages.Place place = new JsonPages.Place(base, Optional.empty(), Optional.empty());
    JobPages pages = JobPages.ofHistory(new JsonPages(place, Duration.ofSeconds(20)));
    assertThat(pages.tasks("job_1_0001"))
        .extracting(TaskFacts::id)
        .containsExactly("task_1_0001_m_000000", "task_1_0001_r_000012");
  }
}

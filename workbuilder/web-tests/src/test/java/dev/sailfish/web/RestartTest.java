package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.protocol.client.MetaserverClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is started again while a job lives. */
class RestartTest {
  private static final String JOB = "job_1_1";
  private static final String PAGE = "/api/v1/jobs/" + JOB;
  private static final String REPORTS = "/api/v1/reports/" + JOB;

  @TempDir Path directory;

  private WebProcess start(ShuffleSetup shuffle) throws Exception {
    return WebProcess.start(
        directory, Map.of("authentication", "none", "metaserver.address", shuffle.place()));
  }

  private static int post(WebProcess web, String path, String body) throws Exception {
    return web.post(path, body).statusCode();
  }

  @Test
  void itGoesOnWithHowFarTheJobWasWhen() throws Exception {
    try (ShuffleSetup shuffle = new ShuffleSetup(0, Optional.empty());
        MetaserverClient client = shuffle.cluster()) {
      JsonNode before;
      try (WebProcess web = start(shuffle)) {
        ShuffleSetup.create(client, JOB, 2);
        shuffle.write(client, JOB, 0, 1_000_000, true);
        web.await(PAGE, found -> found.path("sortedBytes").asLong() == 1_000_000);
        shuffle.write(client, JOB, 1, 500_000, true);
        before = web.await(PAGE, found -> found.path("sortedBytes").asLong() == 1_500_000);
      }
      try (WebProcess again = start(shuffle)) {
        JsonNode after =
            again.await(PAGE, found -> found.path("sortedBytes").asLong() == 1_500_000);
        assertThat(after.path("state").asText()).isEqualTo("RUNNING");
        assertThat(after.at("/series/0")).isEqualTo(before.at("/series/0"));
        assertThat(after.at("/phases/0/fromMs")).isEqualTo(before.at("/phases/0/fromMs"));
      }
    }
  }

  @Test
  void itSaysThatItDoesNotKnowTheReport() throws Exception {
    String last = "{\"attempt\":1,\"sequence\":3}";
    String report =
        "{\"version\":1,\"job\":\"job_1_1\",\"attempt\":1,\"sequence\":3,\"mode\":\"auto\"}";
    try (ShuffleSetup shuffle = new ShuffleSetup(0, Optional.empty())) {
      for (int run = 0; run < 2; run++) {
        try (WebProcess web = start(shuffle)) {
          assertThat(post(web, REPORTS + "/last", last)).as("run %d", run).isEqualTo(409);
          assertThat(post(web, REPORTS, report)).isEqualTo(204);
          assertThat(post(web, REPORTS + "/last", last)).isEqualTo(204);
          assertThat(post(web, REPORTS + "/last", "no JSON")).isEqualTo(400);
          assertThat(web.json(PAGE).path("mode").asText()).isEqualTo("auto");
        }
      }
    }
  }
}

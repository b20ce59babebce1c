package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.FreePort;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process and a real metaserver, which authenticates nobody. */
class WebProcessTest {
  private static final String JOB = "job_1_1";

  @TempDir Path directory;

  private WebProcess start(String metaserver) throws Exception {
    return WebProcess.start(
        directory, Map.of("authentication", "none", "metaserver.address", metaserver));
  }

  private static List<String> sentences(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(each.path(field).asText()));
    return texts;
  }

  @Test
  void showsAJobOfTheMetaserverFromBeginningToEndAndAfterARestart() throws Exception {
    try (ShuffleSetup shuffle = new ShuffleSetup(0, Optional.empty())) {
      try (WebProcess web = start(shuffle.place());
          MetaserverClient client = shuffle.cluster()) {
        ShuffleSetup.create(client, JOB, 3);
        shuffle.write(client, JOB, 0, 1_000_000, true);
        shuffle.write(client, JOB, 2, 500_000, false);
        JsonNode job =
            web.await(
                "/api/v1/jobs/" + JOB, found -> found.path("sortedBytes").asLong() == 1_000_000);
        assertThat(job.path("appendedBytes").asLong())
            .isEqualTo(client.describeJob(JOB, -1).getSummary().getRawBytes());
        assertThat(job.path("state").asText()).isEqualTo("RUNNING");
        assertThat(job.path("user").asText()).isEqualTo("ann");
        assertThat(job.at("/cost/sortCpuMs").asLong() * 1_000).isEqualTo(ShuffleSetup.SORT_CPU_US);
        JsonNode ifiles = web.json("/api/v1/jobs/" + JOB + "/ifiles").path("items");
        assertThat(ifiles).hasSize(2);
        assertThat(ifiles.get(0).path("sorted").asInt()).isEqualTo(1);
        assertThat(ifiles.get(1).path("stable").asInt()).isEqualTo(1);
        assertThat(ifiles.get(1).path("storedBytes").asLong()).isEqualTo(250_000);
        JsonNode plan = web.json("/api/v1/jobs/" + JOB + "/plan");
        assertThat(plan.path("works")).hasSize(3);
        assertThat(plan.path("works").get(0).path("plannedBytes").asLong()).isEqualTo(1_000_000);
        client.deleteJob(JOB);
        JsonNode ended =
            web.await(
                "/api/v1/jobs/" + JOB, found -> found.path("state").asText().equals("UNKNOWN"));
        assertThat(ended.path("appendedBytes").asLong()).isEqualTo(1_500_000);
        web.await("/api/v1/jobs?text=" + JOB, found -> found.path("total").asInt() == 1);
        assertThat(web.log()).doesNotContain("ERROR");
      }
      try (WebProcess again = start(shuffle.place())) {
        JsonNode job = again.json("/api/v1/jobs/" + JOB);
        assertThat(job.path("appendedBytes").asLong()).isEqualTo(1_500_000);
        assertThat(again.json("/api/v1/jobs/" + JOB + "/ifiles").path("items")).hasSize(2);
        assertThat(again.json("/api/v1/jobs").path("total").asInt()).isEqualTo(1);
        HttpResponse<String> gone = again.get("/api/v1/jobs/" + JOB + "/ifiles/0/histogram");
        assertThat(gone.statusCode()).isEqualTo(404);
        assertThat(WebProcess.parsed(gone).path("detail").asText()).contains("has ended");
      }
    }
  }

  @Test
  void jobsThatShareANameHaveAPageEach() throws Exception {
    String other = JOB + "~0a1b2c3d";
    try (ShuffleSetup shuffle = new ShuffleSetup(0, Optional.empty());
        WebProcess web = start(shuffle.place());
        MetaserverClient client = shuffle.cluster()) {
      ShuffleSetup.create(client, JOB, 1, "ann");
      ShuffleSetup.create(client, other, 2, "eve");
      shuffle.write(client, JOB, 0, 1_000_000, true);
      web.await("/api/v1/jobs", found -> found.path("total").asInt() == 2);
      JsonNode job =
          web.await(
              "/api/v1/jobs/" + JOB, found -> found.path("sortedBytes").asLong() == 1_000_000);
      assertThat(job.path("user").asText()).isEqualTo("ann");
      JsonNode eves = web.json("/api/v1/jobs/" + other);
      assertThat(eves.path("user").asText()).isEqualTo("eve");
      assertThat(eves.path("appendedBytes").asLong()).isZero();
      client.deleteJob(other);
      web.await("/api/v1/jobs/" + other, found -> found.path("state").asText().equals("UNKNOWN"));
      assertThat(web.json("/api/v1/jobs/" + JOB).path("state").asText()).isEqualTo("RUNNING");
    }
  }

  @Test
  void showsServersAndWhatToDo() throws Exception {
    try (ShuffleSetup shuffle = new ShuffleSetup(0, Optional.empty());
        WebProcess web = start(shuffle.place());
        MetaserverClient client = shuffle.cluster()) {
      // Nothing is written: the leader names the chunkserver.
      ShuffleSetup.create(client, JOB, 1);
      JsonNode cluster = web.await("/api/v1/cluster", found -> found.path("servers").size() == 2);
      JsonNode dead = cluster.path("servers").get(0);
      assertThat(dead.path("kind").asText()).isEqualTo("chunkserver");
      assertThat(dead.path("up").asBoolean()).isFalse();
      JsonNode leader = cluster.path("servers").get(1);
      assertThat(leader.path("kind").asText()).isEqualTo("metaserver");
      assertThat(leader.path("up").asBoolean()).isTrue();
      assertThat(leader.path("leads").asBoolean()).isTrue();
      assertThat(cluster.path("users").get(0).path("user").asText()).isEqualTo("ann");
      assertThat(sentences(cluster.path("advice"), "text"))
          .anyMatch(text -> text.startsWith("It does not answer"));
    }
  }

  @Test
  void aDaemonThatIsConfiguredAndFoundIsShownOnce() throws Exception {
    try (ShuffleSetup shuffle = new ShuffleSetup(0, Optional.empty());
        WebProcess web =
            WebProcess.start(
                directory,
                Map.of(
                    "authentication",
                    "none",
                    "metaserver.address",
                    shuffle.place(),
                    "daemons",
                    "metaserver=" + shuffle.pages() + ",workflow=http://127.0.0.1:1"))) {
      JsonNode cluster =
          web.await(
              "/api/v1/cluster",
              found -> sentences(found.path("servers"), "kind").contains("chunkserver"));
      assertThat(sentences(cluster.path("servers"), "kind"))
          .containsExactly("chunkserver", "metaserver", "workflow");
      JsonNode metaserver = cluster.path("servers").get(1);
      assertThat(metaserver.path("address").asText()).isEqualTo(shuffle.place());
      assertThat(metaserver.path("web").asText()).isEqualTo(shuffle.pages());
      assertThat(metaserver.path("version").asText()).matches("\\d+\\.\\d+\\.\\d+.*");
      assertThat(metaserver.path("certificateEndMs").isNull()).isTrue();
      assertThat(cluster.path("servers").get(2).path("up").asBoolean()).isFalse();
    }
  }

  @Test
  void servesWhatItKnowsWhileTheMetaserverIsSilentAndGoesOnAfterwards() throws Exception {
    int port = FreePort.next();
    try (WebProcess web = start("127.0.0.1:" + port)) {
      try (ShuffleSetup shuffle = new ShuffleSetup(port, Optional.empty());
          MetaserverClient client = shuffle.cluster()) {
        ShuffleSetup.create(client, JOB, 1);
        shuffle.write(client, JOB, 0, 1_000_000, true);
        web.await("/api/v1/jobs/" + JOB, found -> found.path("sortedBytes").asLong() > 0);
      }
      JsonNode job =
          web.await(
              "/api/v1/jobs/" + JOB, found -> !found.path("sources").get(0).path("error").isNull());
      assertThat(job.path("appendedBytes").asLong()).isEqualTo(1_000_000);
      assertThat(job.path("sources").get(0).path("heardMs").asLong()).isPositive();
      assertThat(web.get("/q/health").statusCode()).isEqualTo(200);
      try (ShuffleSetup shuffle = new ShuffleSetup(port, Optional.empty());
          MetaserverClient client = shuffle.cluster()) {
        ShuffleSetup.create(client, "job_1_2", 1);
        web.await("/api/v1/jobs", found -> found.path("total").asInt() == 2);
      }
    }
  }

  @Test
  void saysWhatIsWrongWithItsConfiguration() throws Exception {
    Path good =
        Files.writeString(
            directory.resolve("good.properties"), "sailfish.web.authentication=none\n");
    Path bad = Files.writeString(directory.resolve("bad.properties"), "sailfish.web.prot=1\n");
    assertThat(WebProcess.exitCode(directory, "--check-config", good.toString())).isZero();
    assertThat(WebProcess.exitCode(directory, "--check-config", bad.toString())).isEqualTo(1);
    assertThat(Files.readString(directory.resolve("log")))
        .contains("sailfish.web.prot", "bad.properties:1", "sailfish.web.port?");
    assertThat(WebProcess.exitCode(directory, bad.toString())).isEqualTo(1);
    assertThat(WebProcess.exitCode(directory)).isEqualTo(2);
  }
}

package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the OpenAPI document promises, and what all answers have. */
class ContractTest {
  @TempDir static Path directory;
  private static WebProcess web;
  private static JsonNode contract;

  @BeforeAll
  static void start() throws Exception {
    web =
        WebProcess.start(
            directory, Map.of("authentication", "none", "metaserver.address", "127.0.0.1:1"));
    assertThat(
            web.post(
                    "/api/v1/reports/job_1_1",
                    "{\"version\":1,\"sequence\":1,\"attempt\":1,\"mode\":\"auto\",\"why\":\"so\","
                        + "\"planningMs\":[1,2],\"plan\":{\"targetBytes\":9,\"targetReason\":\"r\","
                        + "\"partitions\":1,\"refusals\":[{\"partition\":0,\"reason\":\"r\"}],"
                        + "\"heavyKeys\":[{\"partition\":0,\"key\":\"k\",\"bytes\":1}],\"works\":"
                        + "[{\"work\":0,\"first\":0,\"last\":0,\"range\":0,\"from\":null,\"to\":null,"
                        + "\"records\":1,\"bytes\":2,\"mostBytes\":3}]},\"events\":[{\"ms\":5,"
                        + "\"kind\":\"PLAN_MADE\",\"task\":\"\",\"text\":\"Made.\"}]}")
                .statusCode())
        .isEqualTo(204);
    contract = new ObjectMapper().readTree(web.get("/q/openapi?format=json").body());
  }

  @AfterAll
  static void stop() {
    web.close();
  }

  private static JsonNode schema(JsonNode schema) {
    String reference = schema.path("$ref").asText("");
    return reference.isEmpty() ? schema : contract.at(reference.substring(reference.indexOf('/')));
  }

  /** All names that a schema allows, those too of what it is made of. */
  private static Set<String> names(JsonNode schema) {
    Set<String> names = new TreeSet<>();
    schema.path("properties").fieldNames().forEachRemaining(names::add);
    schema.path("allOf").forEach(part -> names.addAll(names(schema(part))));
    return names;
  }

  private static void check(String where, JsonNode schema, JsonNode value, List<String> wrong) {
    JsonNode resolved = schema(schema);
    if (value.isObject() && !names(resolved).isEmpty()) {
      value
          .properties()
          .forEach(
              field -> {
                if (!names(resolved).contains(field.getKey())) {
                  wrong.add(where + " has " + field.getKey() + ", which is not promised");
                }
                check(
                    where + "." + field.getKey(),
                    resolved.path("properties").path(field.getKey()),
                    field.getValue(),
                    wrong);
              });
    } else if (value.isArray()) {
      value.forEach(each -> check(where + "[]", resolved.path("items"), each, wrong));
    }
  }

  @Test
  void everyAddressOfTheDocumentAnswersAsItSays() throws Exception {
    List<String> wrong = new ArrayList<>();
    Set<String> paths = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : contract.path("paths").properties()) {
      paths.add(path.getKey());
      JsonNode promised = path.getValue().at("/get/responses/200/content/application~1json/schema");
      if (promised.isMissingNode()) {
        continue;
      }
      String asked = path.getKey().replace("{id}", "job_1_1").replace("{partition}", "0");
      HttpResponse<String> answer = web.get(asked);
      if (answer.statusCode() == 200) {
        check(path.getKey(), promised, WebProcess.parsed(answer), wrong);
      } else {
        assertThat(answer.headers().firstValue("Content-Type"))
            .as(asked)
            .contains("application/problem+json");
      }
    }
    assertThat(paths)
        .contains(
            "/api/v1/jobs",
            "/api/v1/jobs/{id}",
            "/api/v1/jobs/{id}/ifiles",
            "/api/v1/jobs/{id}/ifiles/{partition}/histogram",
            "/api/v1/jobs/{id}/plan",
            "/api/v1/cluster",
            "/api/v1/store",
            "/api/v1/store/files",
            "/api/v1/store/lineage",
            "/api/v1/events",
            "/api/v1/reports/{job}");
    assertThat(wrong).isEmpty();
  }

  @Test
  void errorsAreProblems() throws Exception {
    Map<String, Integer> wrong =
        Map.of(
            "/api/v1/jobs/job_9_9", 404,
            "/api/v1/jobs/%3Cscript%3E", 404,
            "/api/v1/jobs/job_9_9/plan", 404,
            "/api/v1/jobs/job_1_1/ifiles/x/histogram", 404,
            "/api/v1/jobs?page=x", 400,
            "/api/v1/jobs?size=5000", 400,
            "/api/v1/jobs?sort=colour", 400,
            "/api/v1/events?topic=nothing", 404,
            "/api/v1/store/files", 404,
            "/api/v2/jobs", 404);
    for (Map.Entry<String, Integer> each : wrong.entrySet()) {
      HttpResponse<String> answer = web.get(each.getKey());
      assertThat(answer.statusCode()).as(each.getKey()).isEqualTo(each.getValue());
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
      JsonNode problem = WebProcess.parsed(answer);
      assertThat(problem.path("status").asInt()).isEqualTo(each.getValue());
      assertThat(problem.path("detail").asText()).isNotEmpty();
      assertThat(problem.path("instance").asText()).startsWith("/api/");
    }
    HttpRequest delete = web.request("/api/v1/jobs").DELETE().build();
    assertThat(web.send(delete).statusCode()).isEqualTo(405);
  }

  @Test
  void allAnswersBearTheHeadersThatKeepOthersOut() throws Exception {
    for (String path :
        List.of(
            "/",
            "/jobs",
            "/jobs/job_1_1/plan",
            "/index.html",
            "/nothing.css",
            "/api/v1/jobs",
            "/api/v1/jobs/x",
            "/q/health",
            "/q/openapi",
            "/metrics")) {
      HttpResponse<String> answer = web.get(path);
      assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
          .as(path)
          .contains("default-src 'self'", "script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
      assertThat(answer.headers().firstValue("Referrer-Policy")).contains("no-referrer");
      assertThat(answer.headers().firstValue("Date")).as(path).isPresent();
    }
  }

  @Test
  void addressesOfPagesGiveTheOnePage() throws Exception {
    String page = web.get("/").body();
    assertThat(page).containsIgnoringCase("<!doctype html>");
    for (String path : List.of("/jobs", "/jobs/job_1_1", "/cluster", "/store", "/store/files")) {
      assertThat(web.get(path).body()).as(path).isEqualTo(page);
    }
    assertThat(web.get("/jobs/a.b", "Accept", "text/html").body()).isEqualTo(page);
    assertThat(web.get("/app/nothing.js").statusCode()).isEqualTo(404);
  }

  @Test
  void metricsHaveOurs() throws Exception {
    assertThat(web.get("/metrics", "Accept", "text/plain").body())
        .contains(
            "sailfish_web_event_clients 0.0",
            "sailfish_web_jobs_living 1.0",
            "sailfish_web_reports_taken_total 1.0",
            "sailfish_web_source_up{source=\"metaserver\"");
  }
}

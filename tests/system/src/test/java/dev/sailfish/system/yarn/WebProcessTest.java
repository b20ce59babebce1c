package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The web process of a local cluster: how it starts and ends, and what jobs tell it. */
@Timeout(600)
class WebProcessTest {
  private static final Duration COMMAND = Duration.ofMinutes(4);
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final Pattern RUNNING_JOB = Pattern.compile("Running job: (job_\\d+_\\d+)");
  private static final Pattern METRIC = Pattern.compile("\\bsailfish_web_\\w+");
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");

  @TempDir private Path temporary;
  private SailfishCommand sailfish;
  private String address;
  private RestClient web;

  @AfterEach
  void stopCluster() throws Exception {
    sailfish.succeed(COMMAND, "stop");
    assertThat(web.get("/q/health")).isEmpty();
  }

  private void start() throws Exception {
    sailfish = new SailfishCommand(temporary, YarnSettings.ENVIRONMENT);
    List<String> start = new ArrayList<>(List.of("start", "--lineage-workers=0"));
    start.addAll(YarnSettings.quick());
    String printed = sailfish.succeed(COMMAND, start.toArray(new String[0])).output().strip();
    Matcher found = ADDRESS.matcher(printed.substring(printed.lastIndexOf('\n') + 1));
    assertThat(found.find()).as("an address in the last line of %s", printed).isTrue();
    address = found.group();
    web = new RestClient(address);
    assertThat(printed.lines().filter(line -> line.contains("started ")).toList())
        .last()
        .asString()
        .startsWith("started web ");
    assertThat(sailfish.succeed(COMMAND, "status").output())
        .containsPattern("(?m)^web +\\d+ \\S+ +" + Pattern.quote(address) + " +up$");
  }

  private Result count(String name, String... settings) throws Exception {
    Path text = temporary.resolve("text");
    if (!Files.exists(text)) {
      Files.writeString(text, "some words, and some words again\n".repeat(2_000));
    }
    List<String> command = new ArrayList<>(List.of("jar", "-Dmapreduce.job.reduces=4"));
    command.addAll(List.of(settings));
    command.add(sailfish.examples().toString());
    command.addAll(List.of("wordcount", text.toString(), temporary.resolve(name).toString()));
    return sailfish.succeed(COMMAND, command.toArray(new String[0]));
  }

  private static String job(Result result) {
    Matcher job = RUNNING_JOB.matcher(result.output());
    assertThat(job.find()).as(result.output()).isTrue();
    return job.group(1);
  }

  private void killWeb() throws Exception {
    JsonNode daemon =
        new ClusterFile(temporary.resolve("cluster"))
            .daemons().stream()
                .filter(record -> record.path("name").asText().equals("web"))
                .findAny()
                .orElseThrow();
    ProcessHandle process = ProcessHandle.of(daemon.path("pid").asLong()).orElseThrow();
    assertThat(process.destroyForcibly()).isTrue();
    process.onExit().get(1, TimeUnit.MINUTES);
  }

  @Test
  void jobsTellTheirPlanAndNeedNobodyWhoListens() throws Exception {
    start();
    String job = job(count("told", "--reduce-work", "auto"));
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              Optional<JsonNode> plan = web.get("/api/v1/jobs/" + job + "/plan");
              assertThat(plan).isPresent();
              assertThat(plan.get().path("mode").asText()).isEqualTo("auto");
              assertThat(plan.get().path("works")).hasSize(1);
              assertThat(plan.get().path("partitions").asInt()).isEqualTo(4);
            });
    JsonNode told = web.get("/api/v1/jobs/" + job).orElseThrow();
    assertThat(told.path("events").findValuesAsText("kind")).containsExactly("PLAN_MADE");

    assertThat(metrics()).containsAll(metricsOfMonitoring());
    killWeb();
    Result alone = count("alone", "--reduce-work", "auto");
    assertThat(OutputFiles.read(temporary.resolve("alone")))
        .isEqualTo(OutputFiles.read(temporary.resolve("told")));
    assertThat(containerLogs(job(alone)))
        .containsOnlyOnce("The web process is not told of the job, which runs on all the same");
    Result status = sailfish.run(COMMAND, List.of("status"));
    assertThat(status.exitCode()).isEqualTo(1);
    assertThat(status.output()).containsPattern("(?m)^web .*DOWN");
  }

  /** Names on the page of metrics. */
  private Set<String> metrics() throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/metrics")).build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[{ ]")[0])
        .collect(Collectors.toSet());
  }

  /** Those of the web process that dashboard and alert rules read. */
  private static Set<String> metricsOfMonitoring() throws IOException {
    Set<String> names = new TreeSet<>();
    Path monitoring = SailfishCommand.projectRoot().resolve("monitoring");
    for (String file : List.of("grafana-dashboard.json", "prometheus-rules.yml")) {
      METRIC
          .matcher(Files.readString(monitoring.resolve(file)))
          .results()
          .forEach(found -> names.add(found.group()));
    }
    assertThat(names).hasSizeGreaterThan(3);
    return names;
  }

  /** What the containers of a job have logged. */
  private String containerLogs(String job) throws IOException {
    Path logs =
        temporary.resolve("cluster/logs/containers").resolve(job.replace("job", "application"));
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(logs)) {
      for (Path file : files.filter(path -> path.endsWith("syslog")).toList()) {
        text.append(Files.readString(file));
      }
    }
    return text.toString();
  }
}

package dev.sailfish.localcluster.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sailfish.localcluster.SiteFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a server that answers as a ResourceManager and its proxy do. */
class RunningJobsTest {
  private static final String APPS = "/ws/v1/cluster/apps?states=RUNNING&applicationTags=tag";
  private static final String JOB = "/proxy/application_1_0002/ws/v1/mapreduce/jobs/job_1_0002";
  private static final String COUNTERS = JOB + "/counters";

  @TempDir private Path conf;
  private final Map<String, String> answers = new HashMap<>();
  private HttpServer server;
  private RunningJobs jobs;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String answer = answers.get(exchange.getRequestURI().toString());
          byte[] bytes = String.valueOf(answer).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(answer == null ? 404 : 200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    String web = "127.0.0.1:" + server.getAddress().getPort();
    SiteFile.write(
        conf.resolve("yarn-site.xml"),
        Optional.empty(),
        Map.of("yarn.resourcemanager.webapp.address", web));
    jobs = RunningJobs.of(conf, "tag").orElseThrow();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(String job) {
    answers.put(APPS, "{'apps':{'app':[{'id':'application_1_0002'}]}}".replace('\'', '"'));
    answers.put(JOB, "{'job':{%s}}".formatted(job).replace('\'', '"'));
  }

  @Test
  void nobodyWhoAnswersIsNoJob() {
    assertThat(jobs.current()).isEmpty();
    answers.put(APPS, "{\"apps\":null}");
    assertThat(jobs.current()).isEmpty();
    answer("");
    assertThat(jobs.current()).as("a history server's page, or an error").isEmpty();
  }

  @Test
  void mapsAreCountedAndNoCountersAskedFor() {
    answer("'mapsTotal':8,'mapsCompleted':3,'reducesTotal':4,'reducesCompleted':0");
    answers.put(COUNTERS, counters(77));
    assertThat(jobs.current()).contains(new RunningJob("job_1_0002", 3, 8, 0, 4, "", 0));
  }

  @Test
  void thePlanIsALineOfTheDiagnosticsAndReducesTellWhatTheyRead() {
    answer(
        "'mapsTotal':8,'mapsCompleted':8,'reducesTotal':2,'reducesCompleted':1,"
            + "'diagnostics':'x\\nReduce work: two\\u001b[2J tasks\\nTask failed'");
    answers.put(COUNTERS, counters(77));
    assertThat(jobs.current())
        .contains(new RunningJob("job_1_0002", 8, 8, 1, 2, "Reduce work: two [2J tasks", 77));
  }

  @Test
  void plansOfJobsThatAreOverAreInTheirApplicationsDiagnostics() {
    assertThat(jobs.plansOfEnded()).as("nobody answers").isEmpty();
    answers.put(
        "/ws/v1/cluster/apps?states=FINISHED,FAILED,KILLED&applicationTags=tag",
        ("{'apps':{'app':[{'id':'application_1_0003','diagnostics':'Reduce work: one task\\n'},"
                + "{'id':'application_1_0002','diagnostics':''}]}}")
            .replace('\'', '"'));
    assertThat(jobs.plansOfEnded())
        .containsExactly(Map.entry("job_1_0003", "Reduce work: one task"));
  }

  private static String counters(long bytes) {
    return ("{'jobCounters':{'counterGroup':[{'counterGroupName':'g','counter':["
            + "{'name':'OTHER','totalCounterValue':1},"
            + "{'name':'REDUCE_SHUFFLE_BYTES','totalCounterValue':"
            + bytes
            + "}]}]}}")
        .replace('\'', '"');
  }

  @Test
  void aClusterThatDoesNotNameItsResourceManagerIsNotAsked() throws IOException {
    Path site = conf.resolve("yarn-site.xml");
    SiteFile.write(site, Optional.empty(), Map.of("a", "b"));
    assertThat(RunningJobs.of(conf, "tag")).isEmpty();
    SiteFile.write(site, Optional.empty(), Map.of("yarn.resourcemanager.hostname", "rm"));
    assertThat(RunningJobs.of(conf, "tag")).isPresent();
    assertThat(RunningJobs.of(conf.resolve("none"), "tag")).isEmpty();
  }
}

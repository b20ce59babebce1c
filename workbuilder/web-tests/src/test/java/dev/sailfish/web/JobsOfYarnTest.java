package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of YARN, which is played by a stub: the figures shown are those that it tells. */
class JobsOfYarnTest {
  private static final String APPS = "/ws/v1/cluster/apps";
  private static final String AM = "/proxy/application_1_1/ws/v1/mapreduce/jobs/job_1_1";
  private static final String HISTORY = "/ws/v1/history/mapreduce/jobs/job_1_1";
  private static final String NONE = "{'apps':null}";

  @TempDir Path directory;
  private StubYarn yarn;
  private ShuffleSetup shuffle;
  private WebProcess web;

  @BeforeEach
  void start() throws IOException {
    yarn = new StubYarn();
    shuffle = new ShuffleSetup(0, Optional.empty());
    yarn.put(APPS + "?living", apps("RUNNING", "UNDEFINED", 0));
    yarn.put(APPS + "?ended", NONE);
    yarn.put(AM, job("RUNNING", 3, 0));
    yarn.put(AM + "/tasks", tasks("RUNNING"));
    yarn.put(AM + "/counters", counters(0));
    yarn.put(AM + "/tasks/task_1_1_m_000003/attempts", attempts());
    web =
        WebProcess.start(
            directory,
            Map.of(
                "authentication",
                "none",
                "metaserver.address",
                shuffle.place(),
                "resourcemanager",
                yarn.base(),
                "historyserver",
                yarn.base()));
  }

  @AfterEach
  void stop() throws IOException {
    web.close();
    shuffle.close();
    yarn.close();
  }

  private static String apps(String state, String end, long finishedMs) {
    return ("{'apps':{'app':[{'id':'application_1_1','name':'sort','user':'ann','queue':'fast',"
            + "'state':'%s','finalStatus':'%s','startedTime':1000,'launchTime':2000,"
            + "'finishedTime':%d,'diagnostics':''}]}}")
        .formatted(state, end, finishedMs);
  }

  private static String job(String state, int mapsDone, int reducesDone) {
    return ("{'job':{'id':'job_1_1','name':'sort','user':'ann','state':'%s','submitTime':1000,"
            + "'startTime':2000,'finishTime':%d,'mapsTotal':4,'mapsCompleted':%d,'reducesTotal':2,"
            + "'reducesCompleted':%d,'diagnostics':''}}")
        .formatted(state, state.equals("RUNNING") ? 0 : 62_000, mapsDone, reducesDone);
  }

  private static String tasks(String last) {
    StringBuilder tasks = new StringBuilder("{'tasks':{'task':[");
    for (int i = 0; i < 4; i++) {
      String state = i < 3 ? "SUCCEEDED" : last;
      tasks.append(
          ("{'id':'task_1_1_m_00000%d','type':'MAP','state':'%s','startTime':3000,"
                  + "'finishTime':%d,'elapsedTime':%d},")
              .formatted(i, state, i < 3 ? 5_000 : 0, i < 3 ? 2_000 : 40_000));
    }
    String reduce = last.equals("RUNNING") ? "SCHEDULED" : "SUCCEEDED";
    return tasks
        .append(
            "{'id':'task_1_1_r_000000','type':'REDUCE','state':'%s','startTime':0,'elapsedTime':9}"
                .formatted(reduce))
        .append("]}}")
        .toString();
  }

  private static String counters(long shuffled) {
    return ("{'jobCounters':{'counterGroup':[{'counterGroupName':'task','counter':["
            + "{'name':'REDUCE_SHUFFLE_BYTES','mapCounterValue':0,'reduceCounterValue':%d,"
            + "'totalCounterValue':%d},{'name':'CPU_MILLISECONDS','mapCounterValue':1,"
            + "'reduceCounterValue':2,'totalCounterValue':3}]}]}}")
        .formatted(shuffled, shuffled);
  }

  private static String attempts() {
    return "{'taskAttempts':{'taskAttempt':[{'id':'attempt_1_1_m_000003_0',"
        + "'nodeHttpAddress':'node7:8042'}]}}";
  }

  private void end(String state) {
    yarn.put(APPS + "?living", NONE);
    yarn.put(APPS + "?ended", apps(state.equals("KILLED") ? "KILLED" : "FINISHED", state, 62_000));
    yarn.put(AM, null);
    yarn.put(HISTORY, job(state, 4, 2));
    yarn.put(HISTORY + "/tasks", tasks("SUCCEEDED"));
    yarn.put(HISTORY + "/counters", counters(777));
    yarn.put(
        HISTORY + "/tasks/task_1_1_r_000000/counters",
        "{'jobTaskCounters':{'taskCounterGroup':[{'counterGroupName':'task','counter':["
            + "{'name':'READ_BYTES','value':70},{'name':'REDUCE_SHUFFLE_BYTES','value':219},"
            + "{'name':'REDUCE_INPUT_RECORDS','value':7}]}]}}");
  }

  @Test
  void aJobThatRunsAndThenSucceeds() throws Exception {
    JsonNode running =
        web.await("/api/v1/jobs/job_1_1", found -> found.at("/stragglers/0/host").isTextual());
    assertThat(running.path("state").asText()).isEqualTo("RUNNING");
    assertThat(running.path("queue").asText()).isEqualTo("fast");
    assertThat(running.path("mapsDone").asInt()).isEqualTo(3);
    assertThat(running.path("maps").asInt()).isEqualTo(4);
    assertThat(running.path("submittedMs").asLong()).isEqualTo(1_000);
    assertThat(running.at("/stragglers/0/task").asText()).isEqualTo("task_1_1_m_000003");
    assertThat(running.at("/stragglers/0/host").asText()).isEqualTo("node7");
    assertThat(running.path("level").asText()).isEqualTo("watch");
    assertThat(running.at("/links/yarn").asText())
        .isEqualTo(yarn.base() + "/cluster/app/application_1_1");
    assertThat(running.at("/phases/0/name").asText()).isEqualTo("maps");
    end("SUCCEEDED");
    JsonNode ended =
        web.await("/api/v1/jobs/job_1_1", found -> found.path("reducedBytes").asLong() == 777);
    assertThat(ended.path("state").asText()).isEqualTo("SUCCEEDED");
    assertThat(ended.path("finishedMs").asLong()).isEqualTo(62_000);
    assertThat(ended.at("/cost/taskCpuMs").asLong()).isEqualTo(3);
    assertThat(ended.at("/cost/wallMs").asLong()).isEqualTo(60_000);
    assertThat(ended.at("/links/history").asText())
        .isEqualTo(yarn.base() + "/jobhistory/job/job_1_1");
    JsonNode work =
        web.await("/api/v1/jobs/job_1_1/plan", found -> found.at("/works/0/actualBytes").isNumber())
            .at("/works/0");
    assertThat(work.path("actualBytes").asLong()).isEqualTo(70);
    assertThat(work.path("fetchedBytes").asLong()).isEqualTo(219);
    assertThat(work.path("actualRecords").asLong()).isEqualTo(7);
    assertThat(work.path("state").asText()).isEqualTo("DONE");
    JsonNode list = web.json("/api/v1/jobs?state=SUCCEEDED&queue=fast");
    assertThat(list.path("total").asInt()).isEqualTo(1);
    assertThat(web.json("/api/v1/jobs?state=RUNNING").path("total").asInt()).isZero();
  }

  @Test
  void aJobThatWasKilled() throws Exception {
    web.await("/api/v1/jobs/job_1_1", found -> found.path("mapsDone").asInt() == 3);
    end("KILLED");
    JsonNode ended =
        web.await("/api/v1/jobs/job_1_1", found -> found.path("state").asText().equals("KILLED"));
    assertThat(ended.path("level").asText()).isEqualTo("watch");
    assertThat(ended.path("verdict").asText()).startsWith("The job was killed");
  }

  @Test
  void anApplicationMasterThatIsSilentIsToldOf() throws Exception {
    web.await("/api/v1/jobs/job_1_1", found -> found.path("mapsDone").asInt() == 3);
    yarn.put(AM, null);
    JsonNode silent =
        web.await(
            "/api/v1/jobs/job_1_1",
            found -> found.toString().contains("its ApplicationMaster does not serve"));
    assertThat(silent.path("mapsDone").asInt()).isEqualTo(3);
    assertThat(web.json("/api/v1/jobs").path("total").asInt()).isEqualTo(1);
  }

  @Test
  void theConfigurationSaysThatOnlyThePlugInIsSailfishs() throws Exception {
    web.await("/api/v1/jobs/job_1_1", found -> found.path("mapsDone").asInt() == 3);
    assertThat(web.json("/api/v1/jobs/job_1_1").path("mode").asText()).isEqualTo("unknown");
    yarn.put(
        AM + "/conf",
        "{'conf':{'path':'job.xml','property':["
            + "{'name':'mapreduce.job.map.output.collector.class',"
            + "'value':'dev.sailfish.hadoop.SailfishMapOutputCollector','source':['job.xml']},"
            + "{'name':'yarn.app.mapreduce.am.command-opts','value':'-Xmx1024m'}]}}");
    try (MetaserverClient client = shuffle.cluster()) {
      ShuffleSetup.create(client, "job_1_1", 2);
      JsonNode job =
          web.await(
              "/api/v1/jobs/job_1_1", found -> !found.path("mode").asText().equals("unknown"));
      assertThat(job.path("mode").asText()).isEqualTo("plug-in");
      assertThat(web.json("/api/v1/jobs?mode=plug-in").path("total").asInt()).isEqualTo(1);
    }
  }
}

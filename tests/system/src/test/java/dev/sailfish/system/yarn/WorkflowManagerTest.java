package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import dev.sailfish.workflow.WorkflowManager;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on real YARN whose maps have all containers and wait for a file that is lost: what
 * recomputes the file is put before the job, is given the containers of its youngest tasks, and is
 * adopted by the next manager. It recomputes nothing: the test writes the file.
 */
@Tag("long")
@Timeout(600)
class WorkflowManagerTest {
  private static final Duration COMMAND = Duration.ofMinutes(4);
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final int BLOCK_BYTES = 1 << 16;
  private static final int MAPS = 4;
  private static final int PRIORITY = 3;

  @TempDir private Path directory;
  private SailfishCommand sailfish;
  private StoreClient client;
  private SleepingSteps steps;
  private WorkflowManager manager;

  @BeforeEach
  void start() throws Exception {
    sailfish = new SailfishCommand(directory, YarnSettings.ENVIRONMENT);
    List<String> start =
        new ArrayList<>(
            List.of(
                "start",
                "--no-web",
                "--chunkservers=1",
                "--lineage-workers=2",
                "-Dsailfish.lineage.master.worker.lease=8s"));
    start.addAll(YarnSettings.quick());
    sailfish.succeed(COMMAND, start.toArray(new String[0]));
    client =
        new StoreClient(
            new StoreClientConfig(
                List.of(HostPort.parse(address("lineage-master")).unresolved()),
                Network.SOCKETS,
                Credentials.ofCluster(ClusterSecret.read("secret", sailfish.secret())),
                StoreUser.newBuilder()
                    .setName(System.getProperty("user.name"))
                    .setSuperuser(true)
                    .build(),
                Set.of(),
                StoreClientConfig.DEFAULT_BUFFER_BYTES,
                Duration.ofSeconds(20)));
    Configuration conf = new Configuration();
    for (String site : List.of("core-site", "mapred-site", "yarn-site")) {
      conf.addResource(conf(site).toUri().toURL());
    }
    steps = new SleepingSteps(new YarnConfiguration(conf));
  }

  private Path conf(String site) {
    return directory.resolve("cluster/conf").resolve(site + ".xml");
  }

  @AfterEach
  void stop() throws Exception {
    if (manager != null) {
      manager.close();
    }
    if (steps != null) {
      steps.close();
    }
    if (client != null) {
      client.close();
    }
    sailfish.run(COMMAND, List.of("stop"));
  }

  private JsonNode daemon(String name) throws IOException {
    JsonNode state =
        new ObjectMapper().readTree(directory.resolve("cluster/cluster.json").toFile());
    for (JsonNode daemon : state.path("daemons")) {
      if (daemon.path("name").asText().equals(name)) {
        return daemon;
      }
    }
    throw new IOException("there is no " + name + " in " + state);
  }

  private String address(String name) throws IOException {
    return daemon(name).path("address").asText();
  }

  private void end(String name, boolean kill) throws Exception {
    ProcessHandle process = ProcessHandle.of(daemon(name).path("pid").asLong()).orElseThrow();
    CompletableFuture<ProcessHandle> ended = process.onExit();
    assertThat(kill ? process.destroyForcibly() : process.destroy()).isTrue();
    ended.get(60, TimeUnit.SECONDS);
  }

  private WorkflowManager newManager() throws IOException {
    Map<String, String> values =
        Map.of(
            "bind", "127.0.0.1",
            "web.port", "0",
            "starved", "3s",
            "master.address", address("lineage-master"),
            "cluster.secret.file", sailfish.secret().toString());
    Settings settings = Settings.of(Map.of());
    for (Map.Entry<String, String> value : values.entrySet()) {
      settings = settings.with("sailfish.workflow." + value.getKey(), value.getValue());
    }
    Configuration conf = new Configuration(steps.yarn().getConfig());
    return WorkflowManager.start(settings, conf, store -> steps);
  }

  private static byte[] text() {
    return "word ".repeat(MAPS * BLOCK_BYTES / 5).getBytes(StandardCharsets.US_ASCII);
  }

  private long writeAndRecord() throws IOException {
    FileOutput out =
        client.create(
            CreateFile.newBuilder().setPath("/text").setMode(0644).setBlockSizeLog(16).build());
    try (out) {
      out.write(text());
    }
    Path program = Files.write(directory.resolve("program"), new byte[] {1});
    client
        .lineage()
        .create(
            CreateDependency.newBuilder()
                .setType(DependencyType.DEPENDENCY_WIDE)
                .addOutputs(DependencyOutput.newBuilder().setFid(out.fid()))
                .addPrograms(client.lineage().upload(program))
                .build());
    return out.fid();
  }

  private void lose(long fid) throws Exception {
    Set<Integer> ports = new HashSet<>();
    client.namespace().locate(fid, 0, 0).getWorkersList().forEach(one -> ports.add(one.getPort()));
    for (String worker : List.of("lineage-worker-1", "lineage-worker-2")) {
      if (ports.contains(HostPort.parse(address(worker)).port())) {
        end(worker, true);
        ports.clear(); // the other one has to take what is written again
      }
    }
    await().atMost(SOON).until(() -> !lost().isEmpty());
  }

  private List<LostFile> lost() throws IOException {
    List<LostFile> lost = new ArrayList<>();
    client.lineage().lost(lost::add);
    return lost;
  }

  private List<ApplicationReport> recomputes() throws Exception {
    List<ApplicationReport> tagged = new ArrayList<>(steps.yarn().getApplications());
    tagged.removeIf(one -> !one.getApplicationTags().contains("sailfish-workflow-sailfish"));
    return tagged;
  }

  private long metric(String name) {
    return manager.metrics().get("sailfish_workflow_" + name);
  }

  private Result readText() {
    List<String> command =
        List.of(
            "jar",
            "--shuffle=stock",
            "-Dmapreduce.job.priority=" + PRIORITY,
            sailfish.examples().toString(),
            "wordcount",
            "lineage:///text",
            directory.resolve("out").toString());
    try {
      return sailfish.run(COMMAND, command);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aStepGetsContainersOfTheTasksThatWaitForIt() throws Exception {
    assertThat(sailfish.succeed(COMMAND, "status").output()).contains("workflow");
    end("workflow", false);
    long fid = writeAndRecord();
    lose(fid);
    CompletableFuture<Result> job = CompletableFuture.supplyAsync(this::readText);
    await("tasks wait for the file")
        .atMost(SOON)
        .until(() -> lost().get(0).getWaitingList().stream().anyMatch(id -> !id.isEmpty()));
    manager = newManager();
    await("the step is given containers of the tasks")
        .atMost(SOON)
        .until(() -> metric("containers_taken_total") > 0 && recomputes().size() == 1);
    await("it has a container")
        .atMost(SOON)
        .until(
            () ->
                recomputes().get(0).getApplicationResourceUsageReport().getNumUsedContainers()
                    == 1);
    assertThat(recomputes().get(0).getPriority().getPriority()).isGreaterThan(PRIORITY);

    manager.close();
    manager = newManager();
    await("the next manager follows it").atMost(SOON).until(() -> metric("steps_running") == 1);
    assertThat(recomputes()).hasSize(1);
    await("who waits is told")
        .atMost(SOON)
        .until(
            () ->
                client
                    .lineage()
                    .want(fid, "")
                    .getProgress()
                    .contains(recomputes().get(0).getApplicationId().toString()));

    try (FileOutput out = client.lineage().recompute(fid)) {
      out.write(text());
    }
    await("it is done").atMost(SOON).until(() -> metric("steps_succeeded_total") == 1);
    Result result = job.get(4, TimeUnit.MINUTES);
    assertThat(result.exitCode()).as(result.output()).isZero();
    assertThat(result.output()).contains("Killed map tasks").doesNotContain("Failed map tasks");
    AtomicReference<ApplicationReport> step = new AtomicReference<>();
    await("an application that does not end is ended")
        .atMost(SOON)
        .untilAsserted(
            () -> {
              step.set(recomputes().get(0));
              assertThat(step.get().getYarnApplicationState())
                  .isIn(EnumSet.of(YarnApplicationState.KILLED));
            });
    assertThat(Files.exists(directory.resolve("out/_SUCCESS"))).isTrue();
  }
}

package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A local cluster that speaks TLS, three metaservers among themselves too: an unchanged job on real
 * YARN, in the middle of which the leader is killed, and the commands.
 */
@Tag("long")
class TlsYarnTest {
  private static final Duration DEADLINE = Duration.ofMinutes(4);

  @TempDir Path temporary;
  private SailfishCommand sailfish;

  /** Not in the test itself: what the command says would hide why a test has failed. */
  @AfterEach
  void stop() throws Exception {
    if (sailfish != null) {
      sailfish.succeed(DEADLINE, "stop");
    }
  }

  @Test
  void jobsAndCommandsShouldSpeakTls() throws Exception {
    TestAuthority authority =
        TestAuthority.create(Files.createDirectory(temporary.resolve("keys")));
    Path server = authority.serverFile(authority.issue("server"), false);
    Path client = authority.clientFile();
    sailfish = new SailfishCommand(temporary);
    sailfish.succeed(
        DEADLINE,
        "start",
        "--lineage-workers=0",
        "--metaservers=3",
        "-Dsailfish.metaserver.tls=required",
        "-Dsailfish.metaserver.tls.server.file=" + server,
        "-Dsailfish.metaserver.tls.client.file=" + client,
        "-Dsailfish.chunkserver.tls=required",
        "-Dsailfish.chunkserver.tls.server.file=" + server,
        "-Dsailfish.chunkserver.tls.client.file=" + client);
    runJobs(client);
  }

  private void runJobs(Path client) throws Exception {
    assertThat(sailfish.succeed(DEADLINE, "status").output())
        .contains("https://")
        .doesNotContain("shows nothing to this command");
    Path input = temporary.resolve("input");
    Files.writeString(input, words());
    count("stock", input);
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      Future<Void> job =
          threads.submit(
              () -> {
                count("sailfish", input);
                return null;
              });
      killTheLeaderOnceItHasAJob(client);
      job.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } finally {
      threads.shutdownNow();
    }
    assertThat(OutputFiles.read(temporary.resolve("sailfish")))
        .isNotEmpty()
        .isEqualTo(OutputFiles.read(temporary.resolve("stock")));
    theWebProcessShouldHaveBeenTold(client);
    sailfish.succeed(DEADLINE, "ifile", "ls");
    Result plain =
        sailfish.run(
            DEADLINE,
            List.of(
                "jar",
                "--shuffle",
                "sailfish",
                "-Dsailfish.tls=false",
                "-Dmapreduce.map.maxattempts=2",
                sailfish.examples().toString(),
                "wordcount",
                input.toString(),
                temporary.resolve("plain").toString()));
    assertThat(plain.exitCode()).isNotZero();
    assertThat(plain.output()).contains("requires TLS");
  }

  private void count(String shuffle, Path input) throws Exception {
    sailfish.succeed(
        DEADLINE,
        "jar",
        "--shuffle",
        shuffle,
        "--reduce-work",
        "fixed",
        "-Dmapreduce.job.reduces=2",
        sailfish.examples().toString(),
        "wordcount",
        input.toString(),
        temporary.resolve(shuffle).toString());
  }

  /** The ApplicationMaster's word, over HTTPS. */
  private void theWebProcessShouldHaveBeenTold(Path clientFile) throws IOException {
    RestClient web = new RestClient(pages("web"), tls(clientFile));
    List<JsonNode> jobs = web.elements("/api/v1/jobs", "/items");
    assertThat(jobs).isNotEmpty();
    assertThat(jobs)
        .anySatisfy(
            job ->
                assertThat(web.get("/api/v1/jobs/" + job.path("id").asText() + "/plan"))
                    .hasValueSatisfying(
                        plan ->
                            assertThat(plan.path("why").asText())
                                .startsWith("fixed: as many reduce tasks as the job asks for")));
  }

  private List<JsonNode> daemons() throws IOException {
    return new ClusterFile(temporary.resolve("cluster")).daemons();
  }

  private String pages(String name) throws IOException {
    return daemons().stream()
        .filter(daemon -> daemon.path("name").asText().equals(name))
        .findAny()
        .orElseThrow()
        .path("web")
        .asText();
  }

  private static Optional<TlsContext> tls(Path clientFile) throws IOException {
    return Optional.of(TlsContext.ofClient("test", SslFile.read("test", clientFile)));
  }

  /** As by kill -9; one of the others leads then, and the job goes on. */
  private void killTheLeaderOnceItHasAJob(Path clientFile) throws IOException {
    Optional<TlsContext> tls = tls(clientFile);
    Map<Long, RestClient> metaservers = new HashMap<>();
    for (JsonNode daemon : daemons()) {
      if (daemon.path("name").asText().startsWith("metaserver")) {
        metaservers.put(
            daemon.path("pid").asLong(), new RestClient(daemon.path("web").asText(), tls));
      }
    }
    assertThat(metaservers).hasSize(3);
    AtomicLong leader = new AtomicLong();
    await()
        .atMost(DEADLINE)
        .until(
            () -> {
              metaservers.forEach(
                  (pid, pages) -> {
                    JsonNode status = pages.get("/status").orElseThrow();
                    if (status.path("metrics").path(MetaserverMetric.LEADS.fullName()).asLong() == 1
                        && status.path("metrics").path(MetaserverMetric.JOBS.fullName()).asLong()
                            > 0) {
                      leader.set(pid);
                    }
                  });
              return leader.get() != 0;
            });
    assertThat(ProcessHandle.of(leader.get()).orElseThrow().destroyForcibly()).isTrue();
  }

  private static String words() {
    SplittableRandom random = new SplittableRandom(1);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 50_000; i++) {
      text.append("word").append(random.nextInt(4000)).append(i % 9 == 0 ? '\n' : ' ');
    }
    return text.toString();
  }
}

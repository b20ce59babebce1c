package dev.sailfish.system.web.live;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.localcluster.client.JobRequest;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.Shuffle;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.yarn.YarnSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Real YARN, real daemons and a real web process, each a process of its own. One thread at a time;
 * jobs run on threads of their own.
 */
final class LiveCluster implements AutoCloseable {
  private static final Duration JOB = Duration.ofMinutes(4);
  private static final Duration SEEN = Duration.ofSeconds(90);

  private final LocalCluster cluster;
  private final Path directory;
  private final ExecutorService jobs = Executors.newCachedThreadPool();

  private LiveCluster(LocalCluster cluster, Path directory) {
    this.cluster = cluster;
    this.directory = directory;
  }

  /** Starts one with a web process, and waits until it serves. */
  static LiveCluster start(Path directory, SailfishOptions options) {
    Distribution distribution = new Distribution(SailfishCommand.projectRoot());
    ClusterLayout layout = new ClusterLayout(directory.resolve("cluster"));
    LocalCluster cluster = new LocalCluster(distribution, layout, line -> {});
    cluster.start(options.withWeb(true), YarnSettings.QUICK);
    return new LiveCluster(cluster, directory);
  }

  LocalCluster cluster() {
    return cluster;
  }

  /** The web process, as it was started last. */
  DaemonRecord web() {
    return cluster.state().web().orElseThrow();
  }

  /** The API, as anybody may ask it. */
  RestClient api() {
    return new RestClient(web().web());
  }

  private RestClient resourceManager() {
    return new RestClient(cluster.state().resourceManager().web());
  }

  /** Starts a random job with Sailfish's shuffle; its output goes to a directory of this name. */
  LiveJob start(String name, RandomJobSpec spec, ReduceWork work, Map<String, String> keys)
      throws Exception {
    String seed = Long.toString(spec.seed());
    return start(name, List.of("dev.sailfish.jobs.RandomJobMain", seed), work, keys);
  }

  /**
   * Starts a job of the tests' job jar with Sailfish's shuffle.
   *
   * @param name of its output directory
   * @param command main class and arguments, without the output directory
   * @param keys of its configuration
   */
  LiveJob start(String name, List<String> command, ReduceWork work, Map<String, String> keys)
      throws Exception {
    Path output = directory.resolve(name);
    Path log = directory.resolve(name + ".log");
    Map<String, String> configuration = new HashMap<>(Shuffle.SAILFISH.configuration());
    configuration.putAll(work.configuration());
    configuration.putAll(keys);
    List<String> arguments = new ArrayList<>(command);
    arguments.add(output.toString());
    Path jar = SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs");
    String tag = "live-" + UUID.randomUUID();
    JobRequest request = new JobRequest(jar, arguments, configuration).tagged(tag);
    JobClient client = new JobClient(cluster.distribution(), cluster.layout().conf());
    CompletableFuture<Integer> end =
        CompletableFuture.supplyAsync(() -> client.run(request, log, JOB, () -> {}), jobs);
    String path = "/ws/v1/cluster/apps?applicationTags=" + tag;
    await("an application of " + log)
        .atMost(SEEN)
        .until(() -> end.isDone() || !resourceManager().elements(path, "/apps/app").isEmpty());
    JsonNode application = resourceManager().elements(path, "/apps/app").get(0);
    String id = application.path("id").asText().replace("application_", "job_");
    return new LiveJob(id, end, output, log, cluster.layout().data().resolve("history"));
  }

  /** The stored plan of a job, beside those of others. */
  Path plan(String job) {
    return cluster.layout().data().resolve("plans").resolve(job + ".plan");
  }

  @Override
  public void close() {
    jobs.shutdownNow();
    cluster.stop();
  }
}

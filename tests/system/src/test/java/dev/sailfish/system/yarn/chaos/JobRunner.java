package dev.sailfish.system.yarn.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chaos.FaultInjector;
import dev.sailfish.chaos.Injection;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.StockOutput;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** Runs the jobs of a plan one after the other, each under its faults, and looks at the results. */
final class JobRunner {
  private final ChaosCluster cluster;
  private final Path work;
  private final History history;

  /** Stock's output by job seed. */
  private final Map<Long, SortedMap<String, String>> expected = new HashMap<>();

  /**
   * @param work gets a directory for each job
   */
  JobRunner(ChaosCluster cluster, Path work) {
    this.cluster = cluster;
    this.work = work;
    this.history = new History(cluster);
  }

  /**
   * Runs one job.
   *
   * @throws Exception when it hangs, or when the faults cannot be injected: the cluster is of no
   *     use then
   */
  JobResult run(JobPlan plan) throws Exception {
    SortedMap<String, String> stock = stock(plan);
    FaultInjector<ChaosCluster> injector = new FaultInjector<>(cluster, plan.faults());
    List<Injection<ChaosCluster>> injections = new ArrayList<>(injector.prepare());
    String tag = "chaos-" + UUID.randomUUID();
    Path output = work.resolve(plan.name()).resolve("sailfish");
    long resentBefore = resent();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<SailfishCommand.Result> job = thread.submit(() -> submit(plan, output, tag));
      try {
        injector.drive(job, new JobWatch(cluster, plan.spec().maps()));
      } finally {
        injections.addAll(injector.finish());
      }
      return result(plan, injections, job.get(), output, stock, tag, resent() - resentBefore);
    } finally {
      thread.shutdownNow();
    }
  }

  private SailfishCommand.Result submit(JobPlan plan, Path output, String tag) throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "--shuffle", "sailfish"));
    plan.settings().forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.add("-Dmapreduce.job.tags=" + tag);
    command.add("-Dsailfish.metaserver.address=" + cluster.metaserverAddress());
    command.add(SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    command.add("dev.sailfish.jobs.RandomJobMain");
    command.add(Long.toString(plan.jobSeed()));
    command.add(output.toString());
    return cluster.sailfish().run(plan.deadline(), command);
  }

  private long resent() {
    return cluster.count(ChunkserverMetric.DUPLICATES.fullName())
        + cluster.count(ChunkserverMetric.BROKEN_APPENDS.fullName());
  }

  private JobResult result(
      JobPlan plan,
      List<Injection<ChaosCluster>> injections,
      SailfishCommand.Result client,
      Path output,
      SortedMap<String, String> stock,
      String tag,
      long resent)
      throws Exception {
    boolean succeeded = client.exitCode() == 0;
    List<EndedAttempt> attempts = new ArrayList<>();
    StringBuilder diagnostics = new StringBuilder(client.output());
    for (JsonNode application : history.applications(tag)) {
      attempts.addAll(history.attempts(application));
      diagnostics.append('\n').append(application.path("diagnostics").asText());
    }
    attempts.stream()
        .filter(attempt -> !attempt.succeeded())
        .forEach(
            attempt ->
                diagnostics
                    .append('\n')
                    .append(attempt.id())
                    .append(' ')
                    .append(attempt.state())
                    .append(": ")
                    .append(attempt.diagnostics()));
    Optional<String> difference =
        succeeded ? difference(plan.auto(), OutputFiles.read(output), stock) : Optional.empty();
    return new JobResult(
        plan,
        injections,
        succeeded,
        difference.map(what -> what + "; compare " + output + " with stock beside it"),
        client.took().toMillis(),
        attempts,
        diagnostics.toString(),
        Math.max(0, resent));
  }

  /** Names the files that differ, and where; of a job in auto mode all files are one. */
  private static Optional<String> difference(
      boolean auto, SortedMap<String, String> ours, SortedMap<String, String> stock) {
    if (ours.equals(stock)) {
      return Optional.empty();
    }
    if (auto) {
      String all = String.join("", ours.values());
      String expected = String.join("", stock.values());
      return all.equals(expected)
          ? Optional.empty()
          : Optional.of("all of " + ours.keySet() + " differ " + firstDifference(all, expected));
    }
    if (!ours.keySet().equals(stock.keySet())) {
      return Optional.of("files=" + ours.keySet() + " stock=" + stock.keySet());
    }
    return Optional.of(
        stock.keySet().stream()
            .filter(name -> !Objects.equals(ours.get(name), stock.get(name)))
            .map(name -> name + " differs " + firstDifference(ours.get(name), stock.get(name)))
            .collect(Collectors.joining(", ")));
  }

  private static String firstDifference(String ours, String stock) {
    int at = 0;
    while (at < Math.min(ours.length(), stock.length()) && ours.charAt(at) == stock.charAt(at)) {
      at++;
    }
    return "at byte " + at + " (length=" + ours.length() + " stock=" + stock.length() + ")";
  }

  /** The output of the same job under the stock shuffle, in this JVM and without faults. */
  private SortedMap<String, String> stock(JobPlan plan) throws Exception {
    if (!expected.containsKey(plan.jobSeed())) {
      expected.put(plan.jobSeed(), StockOutput.of(plan.spec(), work.resolve(plan.name())));
    }
    return expected.get(plan.jobSeed());
  }
}

package dev.sailfish.benchmarks.jobs.recovery;

import dev.sailfish.benchmarks.jobs.measure.JobHistory;
import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.recovery.JobChain.Step;
import dev.sailfish.benchmarks.jobs.recovery.StoredFiles.Stored;
import dev.sailfish.benchmarks.jobs.workload.Corpus;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.localcluster.Await;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.CpuAccounting;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.HdfsProcesses;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.LogTail;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.localcluster.client.Shuffle;
import dev.sailfish.workflow.step.RecomputeTags;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Loses a part of what jobs have written, reads it, and tells what that has taken. */
final class LineageDemo {
  private static final String DIRECTORY = "/demo";
  private static final String STORE = "lineage://";
  private static final int TEXTS = 2;
  private static final Duration SEALED = Duration.ofMinutes(1);
  private static final Duration BACK = Duration.ofMinutes(8);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final List<String> HDFS_FLAGS = List.of("-Xmx512m", "-XX:+UseSerialGC");
  private static final double NS_PER_SECOND = 1e9;

  private final LocalCluster cluster;
  private final ClusterLayout layout;
  private final boolean hdfs;
  private final Consumer<String> progress;
  private final PrintWriter out;
  private final JobHistory history;
  private String told = "";

  /**
   * @param cluster that runs, with a store of two workers
   * @param hdfs whether the jobs run on HDFS as well
   * @param progress receives a line for each step
   * @param out receives the tables
   */
  LineageDemo(LocalCluster cluster, boolean hdfs, Consumer<String> progress, PrintWriter out) {
    this.cluster = cluster;
    this.layout = cluster.layout();
    this.hdfs = hdfs;
    this.progress = progress;
    this.out = out;
    history = new JobHistory(cluster.state());
  }

  /** Returns whether all files were what they had been. */
  boolean run() throws IOException {
    JobJars jars = JobJars.of(cluster.distribution());
    Path text = layout.corpus();
    long bytes = Corpus.unpack(jars.corpus().subList(0, TEXTS), text);
    progress.accept("text: " + bytes + " bytes of source code in " + text);
    MeasuredRunner runner = new MeasuredRunner(cluster, line -> {});
    Optional<List<JobMetrics>> onHdfs =
        hdfs ? Optional.of(runOnHdfs(runner, jars, text)) : Optional.empty();
    progress.accept("the same three jobs write to the lineage store");
    Map<String, String> keys = new HashMap<>(Shuffle.SAILFISH.configuration());
    keys.put("sailfish.keep.ifiles.until.checkpointed", "true"); // so that maps need not run again
    new JobChain(jars.examples(), text.toUri().toString(), STORE + DIRECTORY, keys)
        .run(runner, "lineage", progress);
    try (StoredFiles store = new StoredFiles(cluster)) {
      return lose(store, onHdfs);
    }
  }

  private List<JobMetrics> runOnHdfs(MeasuredRunner runner, JobJars jars, Path text)
      throws IOException {
    progress.accept("HDFS with one DataNode, and the three jobs with the stock shuffle");
    String classPath = cluster.distribution().hadoopClassPath();
    HdfsProcesses.Setup setup = new HdfsProcesses.Setup(1, classPath, HDFS_FLAGS, Optional.empty());
    try (HdfsProcesses servers = HdfsProcesses.start(layout.bench("hdfs"), setup)) {
      Map<String, String> keys = new HashMap<>(Shuffle.STOCK.configuration());
      keys.put("dfs.replication", "1");
      String results = servers.address() + DIRECTORY;
      return new JobChain(jars.examples(), text.toUri().toString(), results, keys)
          .run(runner, "hdfs", progress);
    }
  }

  private boolean lose(StoredFiles store, Optional<List<JobMetrics>> onHdfs) throws IOException {
    new Await(SEALED, POLL)
        .until(
            () -> !ask(store::grow),
            () -> "The workflow manager has not sealed the jobs' records; see logs/workflow.log.");
    Map<Step, List<Stored>> files = new EnumMap<>(Step.class);
    for (Step step : Step.values()) {
      files.put(step, store.in(DIRECTORY + "/" + step.directory()));
    }
    List<Stored> result = files.get(Step.FREQUENCIES);
    Path before = layout.data().resolve("before");
    Path after = layout.data().resolve("after");
    store.copy(result, before);
    DaemonRecord victim = workerWithMost(result);
    LossTable table = new LossTable(files, victim.endpoint().getPort());
    progress.accept(
        "%d files with %d bytes, their checksums taken; %d of them are only with %s"
            .formatted(table.files().size(), table.bytes(), table.lost().size(), victim.name()));
    cluster.kill(victim);
    long lostNs = System.nanoTime();
    int exitCode = read(store, after);
    double readS = (System.nanoTime() - lostNs) / NS_PER_SECOND;
    boolean equal = exitCode == 0 && Files.mismatch(before, after) < 0;
    progress.accept(text("the result was read %.0f s after the worker's death", readS));
    new Await(BACK, POLL)
        .until(
            () -> ask(store::lost).isEmpty() || tell(store),
            () -> "Files are still lost: bin/sailfish lineage ls --lost would name them.");
    double backS = (System.nanoTime() - lostNs) / NS_PER_SECOND;
    for (Stored file : table.files()) {
      equal &= file.sha256().equals(store.sha256(file.path()));
    }
    new CpuAccounting(cluster.state()).awaitContainersEnded();
    Map<Long, Map<String, JobMetrics>> again = ranAgain(files);
    out.println();
    out.println(table.ranAgain(again));
    out.println(table.costs(again, backS, onHdfs));
    out.println(
        equal
            ? "All files are what they were, byte for byte."
            : "FILES DIFFER, or the read failed with exit code "
                + exitCode
                + ": see "
                + layout.home()
                + ".");
    out.flush();
    return equal;
  }

  private Map<Long, Map<String, JobMetrics>> ranAgain(Map<Step, List<Stored>> files) {
    Map<Long, Map<String, JobMetrics>> again = new HashMap<>();
    for (List<Stored> step : files.values()) {
      long record = LossTable.record(step);
      Map<String, JobMetrics> jobs = new LinkedHashMap<>();
      for (String application : applications(record)) {
        jobs.put(application, history.metricsOf(application));
      }
      again.put(record, jobs);
    }
    return again;
  }

  private List<String> applications(long record) {
    return history.ids(RecomputeTags.dependency(record));
  }

  private DaemonRecord workerWithMost(List<Stored> files) {
    return cluster.state().lineageWorkers().stream()
        .max(
            Comparator.comparingLong(
                worker ->
                    files.stream()
                        .filter(file -> file.workers().contains(worker.endpoint().getPort()))
                        .mapToLong(Stored::length)
                        .sum()))
        .orElseThrow();
  }

  /** What {@code bin/sailfish fs -cat} does; returns the exit code. */
  private int read(StoredFiles store, Path after) {
    String files = STORE + DIRECTORY + "/" + Step.FREQUENCIES.directory() + "/part-r-*";
    progress.accept("bin/sailfish fs -cat '" + files + "'");
    Path log = layout.logs().resolve("client-cat.log");
    int exitCode =
        new JobClient(cluster.distribution(), layout.conf())
            .runShell(List.of("-cat", files), after, log, BACK, () -> tell(store));
    if (exitCode != 0) {
      progress.accept("it failed: " + LogTail.of(log));
    }
    return exitCode;
  }

  /** Says what is lost and what runs, if that is something else than before; false. */
  private boolean tell(StoredFiles store) {
    List<String> records = new ArrayList<>();
    int lost = 0;
    for (var file : ask(store::lost)) {
      lost++;
      if (!file.getGivenUp().isEmpty()) {
        throw new CommandException(file.getPath() + " was given up: " + file.getGivenUp());
      }
      records.add(Long.toString(file.getDependency()));
    }
    String now =
        lost == 0
            ? ""
            : "lost files: " + lost + ", of records " + String.join(", ", new TreeSet<>(records));
    if (!now.equals(told) && !now.isEmpty()) {
      progress.accept(now);
    }
    told = now;
    return false;
  }

  /** What the store is asked. */
  private interface Question<T> {
    T ask() throws IOException;
  }

  private static <T> T ask(Question<T> question) {
    try {
      return question.ask();
    } catch (IOException e) {
      throw new UncheckedIOException("The lineage store does not answer", e);
    }
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}

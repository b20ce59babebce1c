package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench store}. */
@Command(
    name = "store",
    description = {
      "How fast one client process writes and reads files, beside plain files on /dev/shm; each run"
          + " in a JVM of its own.",
      "Contenders take turns within each work of each round. Exit code 0 only if every run was"
          + " valid."
    })
final class StoreCommand extends BenchCommand.Benchmark {
  private static final String CLIENT = "dev.sailfish.benchmarks.store.StoreClientMain";
  private static final String JAVA = "java";
  private static final String STORE = "store";
  private static final List<String> CONTENDERS = List.of(JAVA, STORE);
  private static final List<String> IN_BYTES = List.of("write", "read", "read-mapped");
  private static final List<String> IN_FILES =
      List.of("files-1m", "files-1m-read", "creates", "stats");
  private static final List<String> FLAGS = List.of("-Xmx1g", "-XX:+UseSerialGC");
  private static final long DEADLINE_S = 600;

  @Option(
      names = "--mb",
      paramLabel = "N",
      defaultValue = "1024",
      description = "MiB of the one large file, over all threads (default: ${DEFAULT-VALUE}).")
  private int mb;

  @Option(
      names = "--files",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Files of the works that have many, over all threads (default: 1000).")
  private int files;

  @Option(
      names = "--threads",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,2",
      description = "Threads of the client, each with files of its own (default: 1,2).")
  private List<Integer> threads;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Requests that each thread has on their way at a time, of works with many files, where the",
        "contender can do that (default: 1)."
      })
  private int inFlight;

  @Option(
      names = "--contenders",
      split = ",",
      paramLabel = "WHO",
      defaultValue = "java,store",
      description =
          "Out of java, plain files through channels; store, the store's own client (default:"
              + " ${DEFAULT-VALUE}).")
  private List<String> contenders;

  @Option(
      names = "--works",
      split = ",",
      paramLabel = "WORK",
      defaultValue = "write,read,read-mapped,files-1m,files-1m-read,creates,stats",
      description = "What is done (default: ${DEFAULT-VALUE}).")
  private List<String> works;

  /**
   * One run: {@code mb_s} or {@code per_s} says how fast it was; without either it was not valid.
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Run(
      String contender,
      String work,
      int threads,
      int round,
      @JsonProperty("mb_s") Double mbS,
      @JsonProperty("per_s") Double perS,
      boolean valid) {
    String key() {
      return work + " " + threads;
    }

    double figure() {
      return mbS == null ? perS : mbS;
    }
  }

  @Override
  public Integer call() throws IOException {
    require(CONTENDERS, contenders, "--contenders");
    List<String> all = new ArrayList<>(IN_BYTES);
    all.addAll(IN_FILES);
    require(all, works, "--works");
    if (inFlight < 1) {
      throw new CommandException("--in-flight is at least 1, not " + inFlight + ".");
    }
    if (mb < 1 || files < 1 || threads.stream().anyMatch(count -> count < 1 || count > files)) {
      throw new CommandException(
          "--mb, --files and --threads are at least 1, with a file for each thread: not %d, %d, %s."
              .formatted(mb, files, threads));
    }
    return onCluster();
  }

  private static void require(List<String> known, List<String> named, String option) {
    for (String name : named) {
      if (!known.contains(name)) {
        throw new CommandException(
            option + " are out of " + String.join(", ", known) + ", not " + name + ".");
      }
    }
  }

  @Override
  SailfishOptions servers() {
    return new SailfishOptions(SailfishOptions.DEFAULT_METASERVERS, 1, 1, Map.of());
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    List<Run> runs = new ArrayList<>();
    Path plain = Files.createTempDirectory(Path.of("/dev/shm"), "sailfish-bench-");
    try {
      for (int round = 1; round <= rounds; round++) {
        for (int count : threads) {
          for (String work : works) {
            runs.addAll(inTurns(session.cluster(), plain, work, count, round));
          }
        }
      }
    } finally {
      Directories.delete(plain);
    }
    report(runs);
    return runs.stream().allMatch(Run::valid);
  }

  private List<Run> inTurns(LocalCluster cluster, Path plain, String work, int count, int round)
      throws IOException {
    List<Run> runs = new ArrayList<>();
    for (String contender : contenders) {
      progress(
          "  round %d of %d: %s, %d threads, %s".formatted(round, rounds, work, count, contender));
      runs.add(run(cluster, plain, contender, work, count, round));
    }
    return runs;
  }

  private Run run(
      LocalCluster cluster, Path plain, String contender, String work, int count, int round)
      throws IOException {
    Path mine = plain.resolve("run");
    String place = contender.equals(JAVA) ? mine.toString() : store(cluster);
    Double figure =
        figure(
            cluster,
            List.of(
                contender,
                place,
                work,
                Integer.toString(mb),
                Integer.toString(files),
                Integer.toString(count)));
    Directories.delete(mine);
    boolean inBytes = IN_BYTES.contains(work);
    return new Run(
        contender,
        work,
        count,
        round,
        inBytes ? figure : null,
        inBytes ? null : figure,
        figure != null);
  }

  private static String store(LocalCluster cluster) {
    String address =
        cluster.state().daemons().stream()
            .filter(daemon -> daemon.name().equals("lineage-master"))
            .map(DaemonRecord::address)
            .findFirst()
            .orElseThrow(
                () ->
                    new CommandException(
                        "The cluster that runs has no lineage store: stop it first, or name another"
                            + " --dir."));
    return address + "," + cluster.layout().secret();
  }

  /** Runs a client; null when it fails, with what it says shown. */
  private Double figure(LocalCluster cluster, List<String> arguments) throws IOException {
    Path lib = cluster.distribution().root().resolve("benchmarks/jobs/target/dist/lib");
    String classPath = cluster.distribution().sailfishClassPath() + ":" + lib + "/*";
    List<String> flags = new ArrayList<>(FLAGS);
    flags.add("-Dsailfish.bench.in.flight=" + inFlight);
    Process client =
        new ProcessBuilder(cluster.distribution().javaCommand(flags, classPath, CLIENT, arguments))
            .redirectErrorStream(true)
            .start();
    try {
      String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = client.waitFor(DEADLINE_S, TimeUnit.SECONDS);
      String last = said.strip().substring(said.strip().lastIndexOf('\n') + 1);
      if (ended && client.exitValue() == 0 && last.matches("[0-9.]+")) {
        return Double.valueOf(last);
      }
      progress(said);
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a client ran");
    } finally {
      client.destroyForcibly();
    }
  }

  private void report(List<Run> runs) {
    Set<String> keys = new LinkedHashSet<>();
    runs.forEach(run -> keys.add(run.key()));
    ObjectNode summary = Report.JSON.createObjectNode();
    StringBuilder table =
        new StringBuilder(
            Report.text(
                "%-16s%8s%12s%14s%8s%n", "work", "threads", "contender", "median", "ratio"));
    for (String key : keys) {
      ObjectNode line = summary.putObject(key);
      double base = Double.NaN;
      for (String contender : contenders) {
        double median =
            Medians.median(
                runs.stream()
                    .filter(run -> run.key().equals(key) && run.contender().equals(contender))
                    .filter(Run::valid)
                    .mapToDouble(Run::figure));
        base = Double.isNaN(base) ? median : base;
        line.put(contender, median);
        line.put(contender + "_ratio", Medians.rounded(median / base, 1_000));
        table.append(
            Report.text(
                "%-16s%8s%12s%14.1f%8.2f%n",
                key.split(" ")[0], key.split(" ")[1], contender, median, median / base));
      }
    }
    ObjectNode json = Report.JSON.createObjectNode();
    json.put("in_flight", inFlight);
    json.set("runs", Report.rows(runs));
    json.set("summary", summary);
    String note =
        "MB/s of write, read and read-mapped; else files a second, %d on their way in each"
            + " thread.%n";
    show(table + Report.text(note, inFlight), json);
  }
}

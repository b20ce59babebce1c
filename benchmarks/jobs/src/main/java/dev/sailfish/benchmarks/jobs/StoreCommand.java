package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.storage.StorageClient;
import dev.sailfish.benchmarks.jobs.storage.StorageContender;
import dev.sailfish.benchmarks.jobs.storage.StorageServers;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench store}. */
@Command(
    name = "store",
    description = {
      "How fast one client process writes and reads files, beside plain files and HDFS, all in"
          + " memory; each run in a JVM of its own.",
      "Contenders take turns within each work of each round, in every other round backwards. Exit"
          + " code 0 only if every run was valid."
    })
final class StoreCommand extends BenchCommand.Benchmark {
  private static final String MAPPED = "read-mapped";
  private static final List<String> IN_BYTES =
      List.of(
          "write",
          "read",
          MAPPED,
          "objects-1mb",
          "objects-1mb-read",
          "objects-64mb",
          "objects-64mb-read");
  private static final List<String> IN_FILES =
      List.of("files-1m", "files-1m-read", "creates", "stats");
  private static final Duration DEADLINE = Duration.ofMinutes(10);

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
      description =
          "Files of the works that have many, over all threads (default: ${DEFAULT-VALUE}).")
  private int files;

  @Option(
      names = "--objects",
      paramLabel = "N",
      defaultValue = "2000",
      description =
          "Objects of 1 MB, over all threads; the same bytes are in the large ones (default:"
              + " ${DEFAULT-VALUE}, of which HDFS has up to 6 GB in memory).")
  private int objects;

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
      description =
          "Requests of creates and stats, and files of files-1m, that each thread of the store's"
              + " own client has on their way (default: ${DEFAULT-VALUE}).")
  private int inFlight;

  @Option(
      names = "--masters",
      paramLabel = "N",
      defaultValue = "1",
      description = "Masters of the lineage store, an odd number (default: ${DEFAULT-VALUE}).")
  private int masters;

  @Option(
      names = "--contenders",
      split = ",",
      paramLabel = "WHO",
      defaultValue = "java,store",
      description =
          "Out of java, plain files through channels; shm, the same on /dev/shm wherever the"
              + " others have their memory (SAILFISH_MEMORY_DIR); checked, java with checksums; raw,"
              + " java through Hadoop's RawLocalFileSystem; store, the store's own client; lineage,"
              + " the same through Hadoop; hdfs1 and hdfs3, HDFS with one DataNode and with three"
              + " and as many copies; alluxio, if its jars were fetched (default:"
              + " ${DEFAULT-VALUE}). Others are compared with the first.")
  private List<StorageContender> contenders;

  @Option(
      names = "--works",
      split = ",",
      paramLabel = "WORK",
      defaultValue = "write,read,read-mapped,files-1m,files-1m-read,creates,stats",
      description =
          "What is done (default: ${DEFAULT-VALUE}); besides objects-1mb, objects-64mb,"
              + " objects-1mb-read and objects-64mb-read. read-mapped is for those that map.")
  private List<String> works;

  @Override
  public Integer call() throws IOException {
    List<String> all = new ArrayList<>(IN_BYTES);
    all.addAll(IN_FILES);
    for (String work : works) {
      if (!all.contains(work)) {
        throw new CommandException(
            "--works are out of " + String.join(", ", all) + ", not " + work + ".");
      }
    }
    if (inFlight < 1) {
      throw new CommandException("--in-flight is at least 1, not " + inFlight + ".");
    }
    int least = Math.min(files, objects);
    if (mb < 1 || least < 1 || threads.stream().anyMatch(count -> count < 1 || count > least)) {
      throw new CommandException(
          "--mb, --files, --objects and --threads are at least 1, with a file and an object for"
              + " each thread: not %d, %d, %d, %s.".formatted(mb, files, objects, threads));
    }
    return onCluster();
  }

  @Override
  SailfishOptions servers() {
    return SailfishOptions.withStore(masters, Map.of());
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    int running = session.cluster().state().lineageMasters().size();
    if (running != masters) {
      throw new CommandException(
          "bench store is to have %d masters, and the cluster in %s has %d: stop it first, or name"
                  .formatted(masters, session.cluster().layout().home(), running)
              + " --masters or another --dir.");
    }
    List<StoreRun> runs = new ArrayList<>();
    StorageClient client =
        new StorageClient(session.cluster().distribution(), DEADLINE, this::progress);
    try (StorageServers servers = new StorageServers(session.cluster(), this::progress)) {
      for (int round = 1; round <= rounds; round++) {
        for (int count : threads) {
          for (String work : works) {
            runs.addAll(inTurns(servers, client, work, count, round));
          }
        }
      }
    }
    StoreReport report =
        new StoreReport(
            runs, contenders.stream().map(StorageContender::toString).toList(), inFlight, masters);
    show(report.table(), report.json());
    return runs.stream().allMatch(StoreRun::valid);
  }

  private List<StoreRun> inTurns(
      StorageServers servers, StorageClient client, String work, int count, int round)
      throws IOException {
    List<StorageContender> order = new ArrayList<>(contenders);
    order.removeIf(contender -> work.equals(MAPPED) && !contender.maps());
    if (round % 2 == 0) {
      Collections.reverse(order);
    }
    List<StoreRun> runs = new ArrayList<>();
    for (StorageContender contender : order) {
      progress(
          "  round %d of %d: %s, %d threads, %s".formatted(round, rounds, work, count, contender));
      List<String> arguments = new ArrayList<>(List.of(work));
      for (int size : new int[] {mb, files, objects, count}) {
        arguments.add(Integer.toString(size));
      }
      Optional<Double> figure =
          client
              .withFlags(
                  List.of(
                      "-Dsailfish.bench.in.flight=" + inFlight,
                      "-Dsailfish.bench.memory=" + servers.memory(),
                      "-Dsailfish.bench.copies=" + contender.copies()))
              .run(servers.place(contender), "StoreClientMain", arguments, "figure")
              .map(lines -> Double.valueOf(lines.get(0)));
      servers.clear();
      boolean inBytes = IN_BYTES.contains(work);
      runs.add(
          new StoreRun(
              contender.toString(),
              work,
              count,
              round,
              inBytes ? figure.orElse(null) : null,
              inBytes ? null : figure.orElse(null),
              figure.isPresent()));
    }
    return runs;
  }
}

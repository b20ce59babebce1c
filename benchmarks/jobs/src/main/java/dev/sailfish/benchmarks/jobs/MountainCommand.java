package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.figures.FigureDirectory;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.storage.SecondLevel;
import dev.sailfish.benchmarks.jobs.storage.StorageClient;
import dev.sailfish.benchmarks.jobs.storage.StorageContender;
import dev.sailfish.benchmarks.jobs.storage.StoragePlace;
import dev.sailfish.benchmarks.jobs.storage.StorageServers;
import dev.sailfish.ground.config.Notation;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench storage-mountain}. */
@Command(
    name = "storage-mountain",
    description = {
      "How fast a file is read in strides of 1 MiB and a skip, by the size of the file and of the"
          + " skip. Each file is written and read by a JVM of its own; each byte is read once for"
          + " each skip, stride after stride.",
      "Exit code 0 only if all that was read was what it should be."
    })
final class MountainCommand extends BenchCommand.Benchmark {
  private static final int MIN_SHARE = 2;
  private static final int KB_PER_MB = 1024;
  private static final int MIB_LOG = 20;
  private static final Duration DEADLINE = Duration.ofMinutes(60);

  @Option(
      names = "--data",
      split = ",",
      paramLabel = "MB",
      defaultValue = "16,64,256,1024,2048",
      description = "MiB of the files (default: ${DEFAULT-VALUE}).")
  private List<Integer> data;

  @Option(
      names = "--skip",
      split = ",",
      paramLabel = "KB",
      defaultValue = "0,64,256,1024,4096,16384,65536",
      description =
          "KiB that are left out for each MiB that is read (default: ${DEFAULT-VALUE}). A skip of"
              + " more than half a file is left out.")
  private List<Integer> skips;

  @Option(
      names = "--most",
      paramLabel = "MB",
      defaultValue = "1024",
      description = "MiB that are read of a file for each skip at most (default: 1024).")
  private int most;

  @Option(
      names = "--contenders",
      split = ",",
      paramLabel = "WHO",
      description = "As of bench store; java and store, unless there is a --path.")
  private List<StorageContender> contenders;

  @Option(
      names = "--path",
      paramLabel = "URI",
      description =
          "A directory of a file system that Hadoop knows, such as lineage:///mount/dir."
              + " Repeatable.")
  private List<String> paths = List.of();

  @Option(
      names = "--second-level",
      paramLabel = "BYTES",
      description =
          "Also local files on the disk at the other end of a link of so many bytes a second"
              + " (100m), and the lineage store that is mounted over them and keeps what it reads.")
  private String rate;

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      description =
          "What the worker of a cluster that is started for this has, in memory and on no disk"
              + " (1g): what of a second level does not fit there is read over the link. Default:"
              + " as always.")
  private String memory;

  @Option(
      names = "--figures",
      paramLabel = "DIR",
      description = "Also write a CSV and a plot for each storage into this directory.")
  private Path figures;

  @Override
  public Integer call() throws IOException {
    if (Stream.of(data, List.of(most)).flatMap(List::stream).anyMatch(size -> size < 1)
        || skips.stream().anyMatch(skip -> skip < 0)
        || skips.stream().anyMatch(skip -> skip % 4 != 0)) {
      throw new CommandException(
          "--data and --most are at least 1, and --skip multiples of 4: not %s, %d and %s."
              .formatted(data, most, skips));
    }
    if (contenders == null) {
      contenders =
          paths.isEmpty() && rate == null
              ? List.of(StorageContender.JAVA, StorageContender.STORE)
              : List.of();
    }
    try {
      return onCluster();
    } finally {
      Directories.delete(workerMemory());
    }
  }

  private static Path workerMemory() {
    return Path.of("/dev/shm", "sailfish-mountain-" + ProcessHandle.current().pid());
  }

  @Override
  SailfishOptions servers() {
    Map<String, String> properties =
        memory == null
            ? Map.of()
            : Map.of(
                "sailfish.lineage.worker.dirs",
                workerMemory() + ":disktype=MEM:capacity=" + memory);
    return SailfishOptions.withStore(SailfishOptions.DEFAULT_LINEAGE_MASTERS, properties);
  }

  /**
   * A storage under its name in the report.
   *
   * @param forLarge the same for files of so many MiB and more
   */
  private record Named(String name, StoragePlace place, StoragePlace forLarge, long largeMib) {
    Named(String name, StoragePlace place) {
      this(name, place, place, Long.MAX_VALUE);
    }

    StoragePlace place(int mib) {
      return mib < largeMib ? place : forLarge;
    }
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    Optional<FigureDirectory> directory =
        figures == null ? Optional.empty() : Optional.of(FigureDirectory.create(figures));
    Path disk = session.cluster().layout().bench("mountain-" + ProcessHandle.current().pid());
    Files.createDirectories(disk);
    MountainReport report;
    try (StorageServers servers = new StorageServers(session.cluster(), this::progress)) {
      if (rate == null) {
        report = climb(session, servers, storages(servers));
      } else {
        try (SecondLevel level = SecondLevel.mount(session.cluster(), disk, rate)) {
          List<Named> storages = storages(servers);
          storages.add(
              new Named("limited", servers.place(level.limited(), "limited", level.keys())));
          storages.add(twoLevels(servers, level));
          report = climb(session, servers, storages);
        }
      }
    } finally {
      Directories.delete(disk);
    }
    show(report.table(), report.json());
    if (directory.isPresent()) {
      directory.get().write(report.figures());
    }
    return report.failures().isEmpty();
  }

  /** A file that memory has no room for is written past it: what is read of it comes there. */
  private Named twoLevels(StorageServers servers, SecondLevel level) throws IOException {
    String uri = level.twoLevels();
    StoragePlace past =
        servers.place(uri, "past-memory", Map.of("sailfish.lineage.client.write", "bypass"));
    long limit = memory == null ? Long.MAX_VALUE : Notation.size(memory) >> MIB_LOG;
    return new Named("two-level", servers.place(uri), past, limit);
  }

  private List<Named> storages(StorageServers servers) throws IOException {
    List<Named> storages = new ArrayList<>();
    for (StorageContender contender : contenders) {
      storages.add(new Named(contender.toString(), servers.place(contender)));
    }
    paths.forEach(path -> storages.add(new Named(path, servers.place(path))));
    return storages;
  }

  private MountainReport climb(ClusterSession session, StorageServers servers, List<Named> storages)
      throws IOException {
    StorageClient client =
        new StorageClient(session.cluster().distribution(), DEADLINE, this::progress);
    List<MountainRun> runs = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      for (Turn turn : turns(storages, round)) {
        List<MountainRun> cells = cells(client, turn);
        if (cells.isEmpty()) {
          failures.add(turn + ": not valid");
        }
        runs.addAll(cells);
        servers.clear();
      }
    }
    return new MountainReport(
        storages.stream().map(Named::name).toList(),
        List.copyOf(new TreeSet<>(data)),
        List.copyOf(new TreeSet<>(skips)),
        runs,
        failures);
  }

  /** One file in one storage. */
  private record Turn(Named storage, int data, int round) {
    @Override
    public String toString() {
      return "round %d: %d MiB, %s".formatted(round, data, storage.name());
    }
  }

  /** From the smallest file to the largest, the storages one after the other. */
  private List<Turn> turns(List<Named> storages, int round) {
    List<Named> order = new ArrayList<>(storages);
    if (round % 2 == 0) {
      Collections.reverse(order);
    }
    List<Turn> turns = new ArrayList<>();
    for (int size : new TreeSet<>(data)) {
      order.forEach(storage -> turns.add(new Turn(storage, size, round)));
    }
    return turns;
  }

  private List<MountainRun> cells(StorageClient client, Turn turn) throws IOException {
    progress("  " + turn);
    String fitting =
        new TreeSet<>(skips)
            .stream()
                .filter(skip -> skip == 0 || skip <= turn.data() * KB_PER_MB / MIN_SHARE)
                .map(String::valueOf)
                .collect(Collectors.joining(","));
    if (fitting.isEmpty()) {
      throw new CommandException("No --skip is at most half of %d MiB.".formatted(turn.data()));
    }
    List<String> arguments =
        List.of(Integer.toString(turn.data()), Integer.toString(most), fitting);
    StoragePlace place = turn.storage().place(turn.data());
    List<MountainRun> cells = new ArrayList<>();
    for (String line : client.run(place, "MountainMain", arguments, "skip").orElse(List.of())) {
      String[] parts = line.split(" ");
      cells.add(
          new MountainRun(
              turn.storage().name(),
              turn.data(),
              Integer.parseInt(parts[0]),
              turn.round(),
              Double.parseDouble(parts[1])));
    }
    return cells;
  }
}

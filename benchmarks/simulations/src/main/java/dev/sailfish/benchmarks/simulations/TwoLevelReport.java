package dev.sailfish.benchmarks.simulations;

import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import dev.sailfish.benchmarks.simulations.twolevel.ComputeNode;
import dev.sailfish.benchmarks.simulations.twolevel.Crossing;
import dev.sailfish.benchmarks.simulations.twolevel.StorageModel;
import dev.sailfish.cli.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the model of two-level storage says, as tables and as figure 5 of its paper. */
final class TwoLevelReport {
  private static final int MOST_POINTS = 2000;
  private static final double MB_PER_GB = 1000;

  /**
   * One storage, read or written.
   *
   * @param name with what the parallel file system can do, where that matters
   * @param model what it is a part of
   * @param nodeMbPerS what each compute node gets, in MB/s, by their number
   */
  private record Storage(String name, StorageModel model, IntToDoubleFunction nodeMbPerS) {

    Optional<Crossing> overtakenBy(Storage hdfs) {
      return Crossing.find(hdfs.nodeMbPerS, nodeMbPerS);
    }

    /** What all compute nodes get together, in MB/s; no node gets nothing. */
    double totalMbPerS(int nodes) {
      return nodes == 0 ? 0 : nodes * nodeMbPerS.applyAsDouble(nodes);
    }

    /** By how much it is above the parallel file system. */
    String gain(int nodes) {
      double factor = nodeMbPerS.applyAsDouble(nodes) / model.parallel(nodes);
      return String.format(Locale.ROOT, "%+.1f %%", 100 * (factor - 1));
    }
  }

  private final List<StorageModel> models;
  private final List<Double> memoryShares;
  private final int nodes;
  private final OptionalInt until;
  private final Storage hdfsRead;
  private final Storage hdfsWrite;

  /**
   * A report of models that differ in their parallel file systems alone.
   *
   * @param memoryShares parts of the data that are in memory, from 0 to 1
   * @param nodes compute nodes of the table of throughputs
   * @param until compute nodes up to which the figures go; empty: a quarter beyond the last
   *     crossing
   */
  TwoLevelReport(
      List<StorageModel> models, List<Double> memoryShares, int nodes, OptionalInt until) {
    this.models = List.copyOf(models);
    this.memoryShares = List.copyOf(memoryShares);
    this.nodes = nodes;
    this.until = until;
    StorageModel first = models.get(0);
    hdfsRead = new Storage("HDFS", first, any -> first.hdfsLocalRead());
    hdfsWrite = new Storage("HDFS", first, first::hdfsWrite);
  }

  /** The tables, with a blank line between two. */
  String text() {
    return String.join(
        "\n",
        parameters().render(),
        "Throughput with %d compute nodes:\n".formatted(nodes) + throughputs().render(),
        "Fewest compute nodes that together get more from HDFS than from another storage:\n"
            + crossings().render());
  }

  private TextTable parameters() {
    ComputeNode node = models.get(0).node();
    double backplane = models.get(0).backplaneMbPerS();
    TextTable table = new TextTable("parameter|option|value|unit");
    table.add("local disk, read", "--disk-read", Figure.number(node.diskReadMbPerS()), "MB/s");
    table.add("local disk, write", "--disk-write", Figure.number(node.diskWriteMbPerS()), "MB/s");
    table.add("memory", "--memory", Figure.number(node.memoryMbPerS()), "MB/s");
    table.add("network interface", "--network", Figure.number(node.networkMbPerS()), "MB/s");
    table.add(
        "backplane of the switch",
        "--backplane",
        Double.isInfinite(backplane) ? "no limit" : Figure.number(backplane),
        "MB/s");
    List<Double> parallel = models.stream().map(StorageModel::parallelMbPerS).toList();
    table.add("parallel file system in all", "--parallel", numbers(parallel), "MB/s");
    table.add("part of the data in memory", "--memory-share", numbers(memoryShares), "of 1");
    return table;
  }

  private static String numbers(List<Double> values) {
    return values.stream().map(Figure::number).collect(Collectors.joining(", "));
  }

  private TextTable throughputs() {
    TextTable table = new TextTable("storage|access|equation|MB/s a node|MB/s in all");
    StorageModel first = models.get(0);
    add(table, "HDFS", "local read", 1, first.hdfsLocalRead());
    add(table, "HDFS", "remote read", 1, first.hdfsRemoteRead(nodes));
    add(table, "HDFS", "write", 2, first.hdfsWrite(nodes));
    add(table, "memory", "local read", 4, first.memoryLocalRead());
    add(table, "memory", "remote read", 4, first.memoryRemoteRead(nodes));
    add(table, "memory", "write", 5, first.memoryWrite());
    for (StorageModel model : models) {
      add(table, named("parallel", model), "read, write", 3, model.parallel(nodes));
      add(table, named("two-level", model), "write", 6, model.twoLevelWrite(nodes));
      for (double share : memoryShares) {
        String name = named("two-level", share, model);
        add(table, name, "read", 7, model.twoLevelRead(nodes, share));
      }
    }
    return table;
  }

  private void add(TextTable table, String name, String access, int equation, double mbPerS) {
    table.add(name, access, equation, mbPerS, nodes * mbPerS);
  }

  private TextTable crossings() {
    TextTable table = new TextTable("storage|access|nodes|its MB/s|HDFS MB/s|gain over parallel");
    reads().forEach(storage -> add(table, storage, "read", hdfsRead));
    writes().forEach(storage -> add(table, storage, "write", hdfsWrite));
    return table;
  }

  private static void add(TextTable table, Storage storage, String access, Storage hdfs) {
    Optional<Crossing> found = storage.overtakenBy(hdfs);
    if (found.isEmpty()) {
      table.add(storage.name(), access, "above " + Crossing.MOST_NODES, "-", "-", "-");
      return;
    }
    Crossing crossing = found.get();
    table.add(
        storage.name(),
        access,
        crossing.nodes(),
        crossing.loserMbPerS(),
        crossing.winnerMbPerS(),
        storage.gain(crossing.nodes()));
  }

  /** What HDFS is compared with when data is read. */
  private List<Storage> reads() {
    List<Storage> storages = new ArrayList<>();
    for (StorageModel model : models) {
      storages.add(new Storage(named("parallel", model), model, model::parallel));
      for (double share : memoryShares) {
        storages.add(
            new Storage(
                named("two-level", share, model),
                model,
                count -> model.twoLevelRead(count, share)));
      }
    }
    return storages;
  }

  /** And when it is written. */
  private List<Storage> writes() {
    List<Storage> storages = new ArrayList<>();
    for (StorageModel model : models) {
      storages.add(new Storage(named("parallel", model), model, model::parallel));
      storages.add(new Storage(named("two-level", model), model, model::twoLevelWrite));
    }
    return storages;
  }

  private static String named(String storage, StorageModel model) {
    return storage + " (" + Figure.number(model.parallelMbPerS() / MB_PER_GB) + " GB/s)";
  }

  private static String named(String storage, double share, StorageModel model) {
    return named(storage + " f=" + Figure.number(share), model);
  }

  /** Both halves of the paper's figure 5. */
  List<Figure> figures() {
    return List.of(figure("read", hdfsRead, reads()), figure("write", hdfsWrite, writes()));
  }

  private Figure figure(String access, Storage hdfs, List<Storage> others) {
    int last = until.orElseGet(() -> beyondCrossings(hdfs, others));
    int step = 1;
    while (last / step > MOST_POINTS) {
      step *= 10;
    }
    int distance = step;
    int[] points = IntStream.rangeClosed(0, last / step).map(i -> i * distance).toArray();
    List<Storage> storages = new ArrayList<>(List.of(hdfs));
    storages.addAll(others);
    return new Figure(
        "two-level-" + access,
        "Aggregate %s throughput by the number of compute nodes".formatted(access),
        "compute nodes",
        "MB/s",
        Kind.LINES,
        IntStream.of(points).mapToObj(Integer::toString).toList(),
        storages.stream().map(storage -> series(storage, points)).toList());
  }

  private int beyondCrossings(Storage hdfs, List<Storage> others) {
    int last =
        others.stream()
            .flatMap(other -> other.overtakenBy(hdfs).stream())
            .mapToInt(Crossing::nodes)
            .max()
            .orElse(nodes);
    return Math.min(Crossing.MOST_NODES, last + (last + 3) / 4);
  }

  private static Series series(Storage storage, int[] points) {
    return new Series(storage.name(), IntStream.of(points).mapToObj(storage::totalMbPerS).toList());
  }
}

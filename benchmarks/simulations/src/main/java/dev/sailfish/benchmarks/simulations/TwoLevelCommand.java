package dev.sailfish.benchmarks.simulations;

import dev.sailfish.benchmarks.simulations.twolevel.ComputeNode;
import dev.sailfish.benchmarks.simulations.twolevel.Crossing;
import dev.sailfish.benchmarks.simulations.twolevel.StorageModel;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish model two-level}. */
@Command(
    name = "two-level",
    description = {
      "Throughput of HDFS, of a parallel file system, of memory, and of two levels of storage, which"
          + " are memory above the parallel file system.",
      "Prints what each compute node gets from each, and the fewest compute nodes with which HDFS"
          + " gives more in all than the others. Defaults are the paper's; 1 MB is 10^6 bytes."
    })
final class TwoLevelCommand extends Model {
  private static final List<Double> PAPERS_PARALLEL_MB_PER_S = List.of(10_000.0, 50_000.0);

  @Option(
      names = "--disk-read",
      paramLabel = "MB/s",
      defaultValue = "237",
      description = "Reads of a compute node's local disk (default: ${DEFAULT-VALUE}).")
  private double diskRead;

  @Option(
      names = "--disk-write",
      paramLabel = "MB/s",
      defaultValue = "116",
      description = "Writes to a compute node's local disk (default: ${DEFAULT-VALUE}).")
  private double diskWrite;

  @Option(
      names = "--memory",
      paramLabel = "MB/s",
      defaultValue = "6267",
      description = "A compute node's memory (default: ${DEFAULT-VALUE}).")
  private double memory;

  @Option(
      names = "--network",
      paramLabel = "MB/s",
      defaultValue = "1170",
      description =
          "The network interface of a compute node or a data node, each way (default:"
              + " ${DEFAULT-VALUE}).")
  private double network;

  @Option(
      names = "--backplane",
      paramLabel = "MB/s",
      description = "The switch's backplane, which all nodes share (default: it does not limit).")
  private Optional<Double> backplane;

  @Option(
      names = "--parallel",
      split = ",",
      paramLabel = "MB/s",
      description =
          "The parallel file system in all; several with commas between (default: 10000,50000).")
  private List<Double> parallel;

  @Option(
      names = "--data-nodes",
      paramLabel = "M",
      description = "Instead of --parallel: the data nodes of the parallel file system.")
  private Optional<Integer> dataNodes;

  @Option(
      names = "--data-disk",
      paramLabel = "MB/s",
      description = "With --data-nodes: the disks of one data node.")
  private Optional<Double> dataDisk;

  @Option(
      names = "--memory-share",
      split = ",",
      paramLabel = "F",
      defaultValue = "0.2,0.5",
      description =
          "The part of the data that is in memory, from 0 to 1; several with commas between"
              + " (default: ${DEFAULT-VALUE}).")
  private List<Double> memoryShares;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "100",
      description = "Compute nodes for which throughputs are printed (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--until",
      paramLabel = "N",
      description =
          "Compute nodes up to which figures go (default: a quarter more than at the figure's last"
              + " crossing).")
  private Optional<Integer> until;

  @Override
  Result compute() {
    ComputeNode node =
        new ComputeNode(
            throughput("--disk-read", diskRead),
            throughput("--disk-write", diskWrite),
            throughput("--memory", memory),
            throughput("--network", network));
    double shared =
        backplane.map(mbPerS -> throughput("--backplane", mbPerS)).orElse(Double.POSITIVE_INFINITY);
    for (double share : memoryShares) {
      if (!(share >= 0 && share <= 1)) {
        throw wrongArguments(
            "--memory-share is %s, but is a part of the data: give numbers from 0 to 1, as 0.2,0.5"
                .formatted(share));
      }
    }
    nodes("--nodes", nodes);
    OptionalInt last =
        until.isPresent() ? OptionalInt.of(nodes("--until", until.get())) : OptionalInt.empty();
    List<StorageModel> models =
        parallels().stream().map(mbPerS -> new StorageModel(node, shared, mbPerS)).toList();
    TwoLevelReport report = new TwoLevelReport(models, memoryShares, nodes, last);
    return new Result(report.text(), report.figures());
  }

  private List<Double> parallels() {
    if (dataNodes.isPresent() != dataDisk.isPresent()) {
      throw wrongArguments(
          "--data-nodes and --data-disk describe the parallel file system together: give both, or"
              + " --parallel instead");
    }
    if (dataNodes.isEmpty()) {
      List<Double> given = parallel == null ? PAPERS_PARALLEL_MB_PER_S : parallel;
      return given.stream().map(mbPerS -> throughput("--parallel", mbPerS)).toList();
    }
    if (parallel != null) {
      throw wrongArguments(
          "--parallel says what the parallel file system can do, and so do --data-nodes and"
              + " --data-disk: leave one of them out");
    }
    double disk = throughput("--data-disk", dataDisk.get());
    return List.of(
        StorageModel.parallelMbPerS(nodes("--data-nodes", dataNodes.get()), network, disk));
  }

  private double throughput(String option, double mbPerS) {
    if (mbPerS > 0 && Double.isFinite(mbPerS)) {
      return mbPerS;
    }
    throw wrongArguments(
        "%s is %s, but is a throughput: give a number of MB/s above 0".formatted(option, mbPerS));
  }

  private int nodes(String option, int number) {
    if (number >= 1 && number <= Crossing.MOST_NODES) {
      return number;
    }
    throw wrongArguments(
        "%s is %d, but is a number of nodes: give one from 1 to %d"
            .formatted(option, number, Crossing.MOST_NODES));
  }
}

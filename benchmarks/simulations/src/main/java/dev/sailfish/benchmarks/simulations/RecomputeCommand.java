package dev.sailfish.benchmarks.simulations;

import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import dev.sailfish.benchmarks.simulations.edge.RecomputeCost;
import dev.sailfish.cli.TextTable;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish model recompute}: figure 10 of the paper, and 11 as far as its data is known. */
@Command(
    name = "recompute",
    description = {
      "The part of a cluster's time that recomputation takes at worst, by nodes and their memory:"
          + " a failed node's memory had no checkpoints, and all others wait.",
      "Defaults are those of the paper; 1 GB is 1024 MB."
    })
final class RecomputeCommand extends Model {
  private static final List<Integer> MEMORY_GB = List.of(128, 256, 512, 1024);
  private static final int STEP = 500;
  private static final int STEPS = 10;

  @Option(
      names = "--failures",
      paramLabel = "PER-DAY",
      defaultValue = "1",
      description = "Failures a day of a thousand nodes (default: ${DEFAULT-VALUE}).")
  private double failures;

  @Option(
      names = "--checkpoint",
      paramLabel = "MB/s",
      defaultValue = "200",
      description = "What a node can checkpoint (default: ${DEFAULT-VALUE}).")
  private double checkpoint;

  @Option(
      names = "--blocked",
      paramLabel = "SHARE",
      defaultValue = "1",
      description = "The part of the cluster that waits, 0 to 1 (default: ${DEFAULT-VALUE}).")
  private double blocked;

  @Override
  Result compute() {
    if (!(failures > 0 && checkpoint > 0 && blocked >= 0 && blocked <= 1)) {
      throw wrongArguments(
          "--failures=%s and --checkpoint=%s are above 0, and --blocked=%s is from 0 to 1"
              .formatted(failures, checkpoint, blocked));
    }
    RecomputeCost cost = new RecomputeCost(failures, checkpoint, blocked);
    TextTable table = new TextTable("memory GB|recomputed in s|% of 1000 nodes|% of 5000 nodes");
    for (int memory : MEMORY_GB) {
      table.add(
          memory,
          Figure.number(cost.seconds(memory)),
          Figure.number(100 * cost.share(1000, memory)),
          Figure.number(100 * cost.share(5000, memory)));
    }
    List<Integer> nodes = IntStream.rangeClosed(0, STEPS).mapToObj(i -> i * STEP).toList();
    List<Series> series =
        MEMORY_GB.stream()
            .map(
                memory ->
                    new Series(
                        memory + " GB a node",
                        nodes.stream().map(count -> 100 * cost.share(count, memory)).toList()))
            .toList();
    Figure figure =
        new Figure(
            "recompute",
            "Recomputation at worst",
            "nodes",
            "% of the cluster",
            Kind.LINES,
            nodes.stream().map(count -> Integer.toString(count)).toList(),
            series);
    return new Result(table.render(), List.of(figure));
  }
}

package dev.sailfish.benchmarks.simulations;

import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import dev.sailfish.benchmarks.simulations.edge.TrafficSimulation;
import dev.sailfish.cli.TextTable;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish model traffic}: section 7.6 of the paper. */
@Command(
    name = "traffic",
    description = {
      "How much of the traffic to the under store is saved because files are deleted before Edge"
          + " writes them, by how much longer a file is written than its job runs.",
      "Defaults are those of the paper."
    })
final class TrafficCommand extends Model {
  private static final int LAST = 20;

  @Option(
      names = "--jobs",
      defaultValue = "1000",
      description = "Jobs of a workflow (default: ${DEFAULT-VALUE}).")
  private int jobs;

  @Option(
      names = "--temporary",
      paramLabel = "SHARE",
      defaultValue = "0.6",
      description =
          "X: the part of the files that others are made of which is deleted, 0 to 1 (default:"
              + " ${DEFAULT-VALUE}).")
  private double temporary;

  @Option(
      names = "--reading",
      paramLabel = "SHARE",
      defaultValue = "0.84",
      description = "Y: the part of the jobs that read another's file (default: ${DEFAULT-VALUE}).")
  private double reading;

  @Option(
      names = "--kept",
      paramLabel = "JOBS",
      defaultValue = "0",
      description =
          "How many jobs long files are kept after their chain's last job (default:"
              + " ${DEFAULT-VALUE}).")
  private double kept;

  @Option(
      names = "--runs",
      defaultValue = "20",
      description = "Workflows that are drawn (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Seed of all that is drawn (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Override
  Result compute() {
    if (!isShare(temporary) || !isShare(reading) || jobs < 1 || runs < 1 || !(kept >= 0)) {
      throw wrongArguments(
          "--temporary=%s and --reading=%s are from 0 to 1, --jobs=%d and --runs=%d at least 1, and"
                  .formatted(temporary, reading, jobs, runs)
              + " --kept=%s at least 0".formatted(kept));
    }
    TrafficSimulation simulation =
        new TrafficSimulation(jobs, temporary, reading, kept, runs, seed);
    List<Integer> times = IntStream.rangeClosed(1, LAST).boxed().toList();
    List<Double> saved = times.stream().map(time -> 100 * simulation.saved(time)).toList();
    TextTable table = new TextTable("T|saved %");
    times.forEach(time -> table.add(time, saved.get(time - 1)));
    Figure figure =
        new Figure(
            "traffic",
            "Traffic that is saved over writing each file",
            "T: time to write a file by time to make it",
            "%",
            Kind.LINES,
            times.stream().map(time -> Integer.toString(time)).toList(),
            List.of(new Series("Edge", saved)));
    return new Result(table.render(), List.of(figure));
  }

  private static boolean isShare(double number) {
    return number >= 0 && number <= 1;
  }
}

package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The paper's figures 11 to 14 of what was measured. What is drawn of single tasks is of one run of
 * each contender: of those of a job that were valid, the one with the median wall time.
 */
final class WorkloadFigures {
  private static final double BYTES_PER_MB = 1e6;

  private final List<PaperRun> runs;

  WorkloadFigures(List<PaperRun> runs) {
    this.runs = List.copyOf(runs);
  }

  /** Those whose jobs have valid runs. */
  List<Figure> all() {
    PaperJob read = PaperJob.LOG_READ;
    return Stream.of(
            phases(),
            numbered(
                "nday-model-map-times",
                "NdayModel: how long its map tasks took, the shortest first",
                "map task",
                "s",
                Kind.LINES,
                perContender(
                    PaperJob.NDAY_MODEL, run -> run.mapTaskS().stream().sorted().toList())),
            numbered(
                "log-read-partition-mb",
                "LogRead: data of each partition",
                "partition",
                "MB",
                Kind.GROUPED,
                perContender(
                    read,
                    run ->
                        run.partitionBytes().stream().map(bytes -> bytes / BYTES_PER_MB).toList())),
            numbered(
                "log-read-reduce-tasks",
                "LogRead: reduce tasks that had a share of each partition",
                "partition",
                "tasks",
                Kind.GROUPED,
                perContender(
                    read, run -> run.partitionTasks().stream().map(Long::doubleValue).toList())),
            numbered(
                "log-read-reduce-times",
                "LogRead: how long each reduce task took",
                "reduce task",
                "s",
                Kind.GROUPED,
                perContender(read, PaperRun::reduceTaskS)))
        .filter(figure -> !figure.labels().isEmpty())
        .toList();
  }

  /** With as many categories as the longest series has values, which are numbered from 0. */
  private static Figure numbered(
      String name, String title, String categories, String unit, Kind kind, List<Series> series) {
    int most = series.stream().mapToInt(one -> one.values().size()).max().orElse(0);
    List<String> labels = IntStream.range(0, most).mapToObj(Integer::toString).toList();
    return new Figure(name, title, categories, unit, kind, labels, series);
  }

  /** Figure 11: map and reduce phase of each job and contender. */
  private Figure phases() {
    List<String> labels = new ArrayList<>();
    List<Double> maps = new ArrayList<>();
    List<Double> reduces = new ArrayList<>();
    for (PaperJob job : PaperJob.values()) {
      for (Contender contender : Contender.values()) {
        List<BenchRun> own = valid(job, contender).stream().map(PaperRun::run).toList();
        if (!own.isEmpty()) {
          labels.add(job.title() + " " + contender);
          maps.add(Medians.median(own.stream().mapToDouble(BenchRun::mapS)));
          reduces.add(Medians.median(own.stream().mapToDouble(BenchRun::reduceS)));
        }
      }
    }
    return new Figure(
        "phases",
        "Map and reduce phase of each job, medians",
        "job and shuffle",
        "s",
        Kind.STACKED,
        labels,
        List.of(new Series("map phase", maps), new Series("reduce phase", reduces)));
  }

  private List<PaperRun> valid(PaperJob job, Contender contender) {
    return runs.stream()
        .filter(run -> run.isValidRunOf(job))
        .filter(run -> run.run().shuffle().equals(contender.toString()))
        .toList();
  }

  /** The run with the median wall time; of an even number, the faster one of the two. */
  private Optional<PaperRun> typical(PaperJob job, Contender contender) {
    List<PaperRun> own =
        valid(job, contender).stream()
            .sorted(Comparator.comparingDouble(run -> run.run().wallS()))
            .toList();
    return own.isEmpty() ? Optional.empty() : Optional.of(own.get((own.size() - 1) / 2));
  }

  private List<Series> perContender(PaperJob job, Function<PaperRun, List<Double>> values) {
    List<Series> series = new ArrayList<>();
    for (Contender contender : Contender.values()) {
      typical(job, contender)
          .ifPresent(run -> series.add(new Series(contender.toString(), values.apply(run))));
    }
    return series;
  }
}

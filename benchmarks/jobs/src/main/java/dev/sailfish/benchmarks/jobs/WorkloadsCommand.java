package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.figures.FigureDirectory;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.PaperWorkload;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench workloads}. */
@Command(
    name = "workloads",
    description = {
      "The seven jobs of the Sailfish paper (table 3) over generated input, each run checked.",
      "Contenders take turns within each job of each round. Exit code 0 only if every run was"
          + " valid."
    })
final class WorkloadsCommand extends BenchCommand.Contest {
  private static final List<Contender> COMPARED = List.of(Contender.STOCK, Contender.SAILFISH);
  private static final double LEAST_SCALE = 0.001;
  private static final double MOST_SCALE = 100;

  @Option(
      names = "--scale",
      paramLabel = "F",
      defaultValue = "1",
      description =
          "How much data: at 1, which is the default, 100 MB for each TB of the paper, 3.1 GB of"
              + " input in all; from 0.001 to 100.")
  private double scale;

  @Option(
      names = "--jobs",
      paramLabel = "REGEX",
      defaultValue = ".*",
      description = "Only jobs whose whole names match, as Log.* or LogRead|NdayModel.")
  private String names;

  @Option(
      names = "--figures",
      paramLabel = "DIR",
      description = "Also write the paper's figures 11 to 14 there, each as CSV and as SVG.")
  private Optional<Path> figures;

  private List<PaperJob> jobs;
  private Optional<FigureDirectory> directory = Optional.empty();

  @Override
  public Integer call() throws IOException {
    if (!(scale >= LEAST_SCALE && scale <= MOST_SCALE)) {
      throw new CommandException("--scale is a number from 0.001 to 100, not " + scale + ".");
    }
    jobs = matching(names);
    List<Contender> contenders = plan(jobs.get(0)).contenders();
    if (contenders.contains(Contender.STOCK_TUNED)) {
      throw new CommandException(
          "bench workloads cannot run stock-tuned, which is for jobs whose partitions are alike:"
              + " name stock and sailfish, or take bench partitioned-sort.");
    }
    if (!COMPARED.containsAll(contenders)) {
      throw new CommandException(
          "bench workloads compares stock and sailfish: say with --reduce-work and --warm-tasks"
              + " what sailfish is.");
    }
    if (figures.isPresent()) {
      directory = Optional.of(FigureDirectory.create(figures.get()));
    }
    return onCluster();
  }

  private static List<PaperJob> matching(String regex) {
    try {
      Pattern pattern = Pattern.compile(regex);
      List<PaperJob> found =
          Arrays.stream(PaperJob.values())
              .filter(job -> pattern.matcher(job.title()).matches())
              .toList();
      if (!found.isEmpty()) {
        return found;
      }
    } catch (PatternSyntaxException e) {
      throw new CommandException("--jobs is no regular expression: " + e.getDescription(), e);
    }
    throw new CommandException(
        "--jobs %s matches none of %s."
            .formatted(
                regex,
                Arrays.stream(PaperJob.values())
                    .map(PaperJob::title)
                    .collect(Collectors.joining(", "))));
  }

  private BenchPlan plan(PaperJob job) {
    return plan((int) Math.ceil(job.inputMb(scale)), job.maps(), job.reduces());
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    JobJars jars = JobJars.of(session.cluster().distribution());
    List<PaperWorkload> workloads =
        jobs.stream().map(job -> new PaperWorkload(job, scale, plan(job), jars)).toList();
    Bench bench = new Bench(List.copyOf(workloads), runner, this::progress);
    BenchPlan plan = workloads.get(0).plan();
    if (session.isOwner()) {
      bench.warmUp(new PartitionedSort(BenchPlan.small(1, plan.contenders()), jars, false, 0));
    }
    List<PaperRun> runs = run(bench, workloads);
    WorkloadsReport report = new WorkloadsReport(scale, plan.settings(), runs);
    show(report.table(), report.json());
    if (directory.isPresent()) {
      directory.get().write(new WorkloadFigures(runs).all());
    }
    return report.allValid();
  }

  private static List<PaperRun> run(Bench bench, List<PaperWorkload> workloads) throws IOException {
    List<PaperRun> runs = new ArrayList<>();
    int rounds = workloads.get(0).plan().rounds();
    for (int round = 1; round <= rounds; round++) {
      for (PaperWorkload workload : workloads) {
        for (Contender contender : workload.plan().order(round)) {
          BenchRun run = bench.run(workload, contender, round, Optional.empty());
          runs.add(PaperRun.of(run, workload.last()));
        }
      }
    }
    return runs;
  }
}

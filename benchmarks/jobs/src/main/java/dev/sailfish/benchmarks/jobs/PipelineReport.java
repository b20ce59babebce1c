package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.pipeline.BesideRun;
import dev.sailfish.benchmarks.jobs.pipeline.PipelineRun;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * Medians of pipelines, and what a loss costs each contender.
 *
 * @param contenders in the order of the report; the first one is what others are compared with
 * @param checkpointsCleaned whether clean text is copied below
 */
record PipelineReport(
    List<PipelineRun> runs,
    List<BesideRun> besides,
    List<String> contenders,
    boolean checkpointsCleaned) {
  private static final Map<String, ToDoubleFunction<PipelineRun>> FIGURES = new LinkedHashMap<>();

  static {
    FIGURES.put("wall_s", PipelineRun::wallS);
    FIGURES.put("cpu_s", PipelineRun::cpuS);
    FIGURES.put("wall_above_null_s", PipelineRun::wallAboveNullS);
    FIGURES.put("cpu_above_null_s", PipelineRun::cpuAboveNullS);
  }

  PipelineReport {
    runs = List.copyOf(runs);
    besides = List.copyOf(besides);
    contenders = List.copyOf(contenders);
  }

  boolean allValid() {
    return runs.stream().allMatch(PipelineRun::valid)
        && besides.stream().allMatch(BesideRun::valid);
  }

  /** NaN without valid runs. */
  private double median(Predicate<PipelineRun> which, ToDoubleFunction<PipelineRun> figure) {
    return Medians.median(
        runs.stream().filter(PipelineRun::valid).filter(which).mapToDouble(figure));
  }

  private double median(String contender, boolean loss, ToDoubleFunction<PipelineRun> figure) {
    return median(run -> run.contender().equals(contender) && run.loss() == loss, figure);
  }

  private double besideMedian(String beside, ToDoubleFunction<BesideRun> figure) {
    return Medians.median(
        besides.stream()
            .filter(run -> run.valid() && run.beside().equals(beside))
            .mapToDouble(figure));
  }

  ObjectNode json() {
    ObjectNode json = Report.JSON.createObjectNode();
    json.put("checkpoints_cleaned", checkpointsCleaned);
    json.set("runs", Report.rows(runs));
    json.set("beside", Report.rows(besides));
    ObjectNode summary = json.putObject("summary");
    boolean withLoss = runs.stream().anyMatch(PipelineRun::loss);
    for (String contender : contenders) {
      ObjectNode line = summary.putObject(contender);
      undisturbed(line.putObject("undisturbed"), contender);
      if (withLoss) {
        withLoss(line.putObject("with_loss"), contender);
      }
      copies(line.putObject("copies"), contender);
    }
    if (!besides.isEmpty()) {
      beside(summary.putObject("beside"));
    }
    return json;
  }

  private void undisturbed(ObjectNode line, String contender) {
    FIGURES.forEach(
        (name, figure) -> {
          double own = median(contender, false, figure);
          line.put(name, Medians.rounded(own, 1_000));
          line.put(
              name + "_ratio",
              Medians.rounded(own / median(contenders.get(0), false, figure), 1_000));
        });
  }

  /** The ratio is to the contender's own runs without a loss. */
  private void withLoss(ObjectNode line, String contender) {
    FIGURES.forEach(
        (name, figure) -> {
          double own = median(contender, true, figure);
          line.put(name, Medians.rounded(own, 1_000));
          line.put(
              name + "_to_undisturbed",
              Medians.rounded(own / median(contender, false, figure), 1_000));
        });
  }

  /** Of runs without a loss. */
  private void copies(ObjectNode line, String contender) {
    double written = median(contender, false, PipelineRun::writtenMb);
    double replicated = median(contender, false, PipelineRun::replicatedMb);
    double below = median(contender, false, PipelineRun::belowMb);
    line.put("written_mb", Medians.rounded(written, 1_000));
    line.put("replicated_mb", Medians.rounded(replicated, 1_000));
    line.put("below_mb", Medians.rounded(below, 1_000));
    line.put("below_of_written", Medians.rounded(below / written, 1_000));
    line.put("below_of_replicated", Medians.rounded(below / replicated, 1_000));
  }

  private void beside(ObjectNode line) {
    double usual = besideMedian(BesideRun.JOB, BesideRun::otherWallS);
    double disturbed = besideMedian(BesideRun.RECOMPUTE, BesideRun::otherWallS);
    double own = besideMedian(BesideRun.JOB, BesideRun::ownWallS);
    double waiting = besideMedian(BesideRun.RECOMPUTE, BesideRun::ownWallS);
    line.put("other_alone_s", besideMedian(BesideRun.NOTHING, BesideRun::otherWallS));
    line.put("other_beside_job_s", usual);
    line.put("other_beside_recompute_s", disturbed);
    line.put("other_ratio", Medians.rounded(disturbed / usual, 1_000));
    line.put("own_s", own);
    line.put("own_with_recompute_s", waiting);
    line.put("own_ratio", Medians.rounded(waiting / own, 1_000));
  }

  String table() {
    StringBuilder table = new StringBuilder(Report.table(runs, PipelineRun.COLUMNS).render());
    if (!besides.isEmpty()) {
      table.append(Report.table(besides, BesideRun.COLUMNS).render());
    }
    return table.toString();
  }
}

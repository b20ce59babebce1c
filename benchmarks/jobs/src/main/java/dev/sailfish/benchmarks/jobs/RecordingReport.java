package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.pipeline.RecordingRun;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** What records and checkpoints cost, round by round. */
record RecordingReport(List<RecordingRun> runs) {
  /** CPU seconds that the record of a job may take. */
  static final double RECORD_LIMIT_S = 0.3;

  /** How often as long a job may take beside checkpoints. */
  static final double CHECKPOINT_LIMIT = 1.05;

  RecordingReport {
    runs = List.copyOf(runs);
  }

  /** Of all jobs but the first one that has a record: its programs are stored for all others. */
  private DoubleStream recordCpu() {
    return recorded().skip(1);
  }

  private DoubleStream recorded() {
    return runs.stream()
        .filter(RecordingRun::valid)
        .flatMap(run -> run.recordCpuS().stream())
        .mapToDouble(Double::doubleValue);
  }

  private Optional<RecordingRun> run(String contender, int round) {
    return runs.stream()
        .filter(run -> run.valid() && run.contender().equals(contender) && run.round() == round)
        .findFirst();
  }

  /** The median over the rounds; NaN without a round in which both are valid. */
  private double ratio(String contender, String rival, ToDoubleFunction<RecordingRun> figure) {
    return Medians.median(
        runs.stream()
            .filter(own -> own.valid() && own.contender().equals(contender))
            .flatMap(
                own ->
                    run(rival, own.round()).stream()
                        .map(other -> figure.applyAsDouble(own) / figure.applyAsDouble(other)))
            .mapToDouble(Double::doubleValue));
  }

  ObjectNode json() {
    ObjectNode json = Report.JSON.createObjectNode();
    json.set("runs", Report.rows(runs));
    ObjectNode summary = json.putObject("summary");
    double record = Medians.median(recordCpu());
    double checkpoints =
        ratio(RecordingRun.CHECKPOINTED, RecordingRun.RECORDED, RecordingRun::wallS);
    summary.put("first_record_cpu_s", recorded().findFirst().orElse(Double.NaN));
    summary.put("record_cpu_s", Medians.rounded(record, 1_000));
    summary.put("longest_record_cpu_s", recordCpu().max().orElse(Double.NaN));
    summary.put("record_limit_s", RECORD_LIMIT_S);
    summary.put("record_within_limit", record <= RECORD_LIMIT_S);
    summary.put(
        "recorded_wall_ratio",
        ratioOf(RecordingRun.RECORDED, RecordingRun.PLAIN, RecordingRun::wallS));
    summary.put(
        "recorded_cpu_ratio",
        ratioOf(RecordingRun.RECORDED, RecordingRun.PLAIN, RecordingRun::cpuS));
    summary.put("checkpointed_wall_ratio", Medians.rounded(checkpoints, 1_000));
    summary.put(
        "checkpointed_cpu_ratio",
        ratioOf(RecordingRun.CHECKPOINTED, RecordingRun.RECORDED, RecordingRun::cpuS));
    summary.put("checkpointed_limit", CHECKPOINT_LIMIT);
    summary.put("checkpointed_within_limit", checkpoints <= CHECKPOINT_LIMIT);
    return json;
  }

  private double ratioOf(String contender, String rival, ToDoubleFunction<RecordingRun> figure) {
    return Medians.rounded(ratio(contender, rival, figure), 1_000);
  }

  String table() {
    ObjectNode summary = (ObjectNode) json().path("summary");
    return Report.table(runs, RecordingRun.COLUMNS).render()
        + Report.text(
            "A job's record takes %.3f CPU s (limit %.1f), the first one %.3f. Checkpoints beside:"
                + " wall %.3f of a job without (limit %.2f).%n",
            summary.path("record_cpu_s").asDouble(),
            RECORD_LIMIT_S,
            summary.path("first_record_cpu_s").asDouble(),
            summary.path("checkpointed_wall_ratio").asDouble(),
            CHECKPOINT_LIMIT);
  }
}

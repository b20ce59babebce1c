package dev.sailfish.benchmarks.jobs.recovery;

import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.recovery.JobChain.Step;
import dev.sailfish.benchmarks.jobs.recovery.StoredFiles.Stored;
import dev.sailfish.cli.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What was lost with a worker, what ran again for it, and what others would have done.
 *
 * @param steps what each job has written, with the workers that had it before the loss
 * @param worker port of the worker that was killed
 */
record LossTable(Map<Step, List<Stored>> steps, int worker) {
  private static final double MS_PER_SECOND = 1_000;
  private static final double MB = 1e6;
  private static final int SAFE_COPIES = 3;
  private static final String NOTHING = "-";

  /** All files. */
  List<Stored> files() {
    return steps.values().stream().flatMap(List::stream).toList();
  }

  /** Those of them that no other worker has. */
  List<Stored> lost() {
    return files().stream().filter(isLost()).toList();
  }

  private Predicate<Stored> isLost() {
    return file -> file.workers().contains(worker);
  }

  /** How long all files are together. */
  long bytes() {
    return files().stream().mapToLong(Stored::length).sum();
  }

  /** The lineage record of a job. */
  static long record(List<Stored> files) {
    return files.get(0).record();
  }

  /**
   * A line for each job.
   *
   * @param again applications that ran a job again, by its record, with what is known of each
   */
  String ranAgain(Map<Long, Map<String, JobMetrics>> again) {
    TextTable table =
        new TextTable("job|record|files|kept|made again|application|maps|reduces|s|task CPU s");
    steps.forEach(
        (step, files) -> {
          long lost = files.stream().filter(isLost()).count();
          List<Object> begin =
              List.of(step.directory(), record(files), files.size(), files.size() - lost, lost);
          Map<String, JobMetrics> applications = again.getOrDefault(record(files), Map.of());
          applications.forEach((id, job) -> table.add(cells(begin, id, job)));
          if (applications.isEmpty()) {
            table.add(cells(begin, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING));
          }
        });
    return table.render();
  }

  private static Object[] cells(List<Object> begin, String id, JobMetrics job) {
    return cells(
        begin,
        id,
        job.mapTaskSeconds().size(),
        job.reduceTaskSeconds().size(),
        job.wallSeconds(),
        cpuSeconds(job));
  }

  private static Object[] cells(List<Object> begin, Object... rest) {
    List<Object> cells = new ArrayList<>(begin);
    cells.addAll(List.of(rest));
    return cells.toArray();
  }

  private static double cpuSeconds(JobMetrics job) {
    return job.counter("CPU_MILLISECONDS") / MS_PER_SECOND;
  }

  /**
   * What the loss costs in three kinds of storage.
   *
   * @param again as above
   * @param backS from the worker's death until all files were back
   * @param onHdfs the jobs on HDFS, if they ran there
   */
  String costs(
      Map<Long, Map<String, JobMetrics>> again, double backS, Optional<List<JobMetrics>> onHdfs) {
    TextTable table =
        new TextTable("storage|MB written|MB lost|s until back|task CPU s|who does it");
    double lostMb = lost().stream().mapToLong(Stored::length).sum() / MB;
    double cpuS =
        again.values().stream()
            .flatMap(jobs -> jobs.values().stream())
            .mapToDouble(LossTable::cpuSeconds)
            .sum();
    table.add("lineage store", bytes() / MB, lostMb, backS, cpuS, "the workflow manager");
    onHdfs.ifPresent(
        jobs ->
            table.add(
                "HDFS, 1 copy",
                bytes() / MB,
                bytes() / MB,
                jobs.stream().mapToDouble(JobMetrics::wallSeconds).sum(),
                jobs.stream().mapToDouble(LossTable::cpuSeconds).sum(),
                "the user: all jobs again"));
    table.add(
        "HDFS, 3 copies (computed)", SAFE_COPIES * bytes() / MB, 0.0, 0.0, 0.0, "the NameNode");
    return table.render();
  }
}

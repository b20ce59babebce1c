package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One application of Spark.
 *
 * @param experiment levels, where the input is; caches, who keeps it between jobs
 * @param contender where, or who
 * @param work lines or words, which are counted
 * @param mb of input
 * @param objectMb size of its files
 * @param fillS seconds until the data was where the contender keeps it; null: it was there before
 * @param seconds of a job, median of those of the application; null: the run failed
 * @param mbS input by time of a job
 * @param gcS of it for garbage
 * @param valid whether the count was right
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SparkRun(
    String experiment,
    String contender,
    String work,
    int mb,
    @JsonProperty("object_mb") int objectMb,
    int round,
    @JsonProperty("fill_s") Double fillS,
    Double seconds,
    @JsonProperty("mb_s") Double mbS,
    @JsonProperty("gc_s") Double gcS,
    boolean valid) {
  /** What contenders are compared in. */
  String key() {
    return "%s %s %d MB in files of %d MB".formatted(experiment, work, mb, objectMb);
  }
}

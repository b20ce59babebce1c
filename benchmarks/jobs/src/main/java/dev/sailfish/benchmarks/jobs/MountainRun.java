package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One cell of a storage mountain in one round.
 *
 * @param storage what was read
 * @param dataMb MiB of the file
 * @param skipKb KiB that are left out for each MiB that is read
 * @param mbS MB a second, of what was read
 */
record MountainRun(
    String storage,
    @JsonProperty("data_mb") int dataMb,
    @JsonProperty("skip_kb") int skipKb,
    int round,
    @JsonProperty("mb_s") double mbS) {}

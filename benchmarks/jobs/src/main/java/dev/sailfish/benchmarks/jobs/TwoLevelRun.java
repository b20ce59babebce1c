package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * TeraGen and TeraSort with input and output in one storage.
 *
 * @param storage where
 * @param generateS from TeraGen's submission to its end
 * @param mapS from the start of TeraSort's first map task to the end of the last
 * @param reduceS the same of its reduce tasks, which start when the maps have ended
 * @param wallS from TeraSort's submission to its end
 * @param cpuS of all processes while TeraSort ran, those of HDFS not counted
 */
record TwoLevelRun(
    String storage,
    int round,
    @JsonProperty("generate_s") double generateS,
    @JsonProperty("map_s") double mapS,
    @JsonProperty("reduce_s") double reduceS,
    @JsonProperty("wall_s") double wallS,
    @JsonProperty("cpu_s") double cpuS,
    boolean valid) {
  static final String COLUMNS = "storage round generate_s map_s reduce_s wall_s cpu_s valid";
}

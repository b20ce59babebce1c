package dev.sailfish.benchmarks.jobs.mapreduce.lines;

import java.util.Arrays;

/**
 * The seven jobs of the Sailfish paper (§6.3, table 3), scaled down.
 *
 * <p>Bytes keep the paper's ratios, between jobs and between input and intermediate data: at scale
 * 1, 1 TB of the paper is 100 MB. Numbers of tasks cannot: the paper's go from 400 to 42 092 maps,
 * and each task starts a JVM. They are about the cube root of the paper's, so that more data is
 * still more tasks, and do not depend on the scale. LogProc has the square root, because one of its
 * maps has eleven times the mean of all.
 */
public enum PaperJob {
  /** COUNT with a combiner: what is left for the shuffle is 1/27 of the input. */
  LOG_COUNT("LogCount", "data reduction", "COUNT", 110, 8, 8, 14.0 / 11),
  /** GROUP BY; a map of twenty emits eleven times the mean. */
  LOG_PROC("LogProc", "skew in map output", "GROUP BY", 110, 20, 10, 37.0 / 207),
  /** GROUP BY; three partitions of eight have nine times what the others do. */
  LOG_READ("LogRead", "skew in reduce input", "GROUP BY", 110, 8, 8, 40.0 / 58),
  /** JOIN of models over N days with those of one: half of the maps emit 22 times as much. */
  NDAY_MODEL("NdayModel", "incremental computation", "JOIN", 354, 12, 16, 42.0 / 138),
  /** COGROUP; intermediate data is 2.6 times the input. */
  BEHAVIOR_MODEL("BehaviorModel", "big data", "COGROUP", 360, 16, 16, 195.0 / 295),
  /** COGROUP and FILTER; intermediate data is 1.2 times the input. */
  CLICK_ATTRIBUTION("ClickAttribution", "big data", "COGROUP, FILTER", 680, 28, 16, 300.0 / 360),
  /** COGROUP, FLATTEN and FILTER; three records for each line, 1.8 times the bytes. */
  SEGMENT_EXPLODER(
      "SegmentExploder", "data explosion", "COGROUP, FLATTEN, FILTER", 1_410, 35, 25, 528.0 / 800);

  /** A job's counter of bytes of keys and values of a partition, whose number follows. */
  public static final String BYTES_OF_PARTITION = "BYTES_OF_PARTITION_";

  /** A job's counter of reduce tasks that had a share of a partition, whose number follows. */
  public static final String TASKS_OF_PARTITION = "TASKS_OF_PARTITION_";

  private static final double BYTES_PER_MB = 1e6;

  private final String title;
  private final String characteristics;
  private final String operators;
  private final int mb;
  private final int maps;
  private final int reduces;
  private final double paperRatio;

  PaperJob(
      String title,
      String characteristics,
      String operators,
      int mb,
      int maps,
      int reduces,
      double paperRatio) {
    this.title = title;
    this.characteristics = characteristics;
    this.operators = operators;
    this.mb = mb;
    this.maps = maps;
    this.reduces = reduces;
    this.paperRatio = paperRatio;
  }

  /** The paper's name for it. */
  public String title() {
    return title;
  }

  /** What is special about it, in the paper's words. */
  public String characteristics() {
    return characteristics;
  }

  /** What a query would ask for. */
  public String operators() {
    return operators;
  }

  /** Megabytes of lines at this scale; 1 MB is a million bytes. */
  public double inputMb(double scale) {
    return mb * scale;
  }

  /** Map tasks, at every scale. */
  public int maps() {
    return maps;
  }

  /** Partitions, at every scale. */
  public int reduces() {
    return reduces;
  }

  /** How many partitions, the first ones, get nine times what the others do. */
  public int heavyPartitions() {
    return this == LOG_READ ? 3 : 0;
  }

  /** Run time of Sailfish in the paper, in minutes, divided by that of stock Hadoop. */
  public double paperRatio() {
    return paperRatio;
  }

  /** Its input. */
  public LineSource source(double scale, long seed) {
    long bytes = (long) (inputMb(scale) * BYTES_PER_MB);
    return switch (this) {
      case LOG_COUNT -> LogLines.byPage(bytes, maps, seed);
      case LOG_PROC -> LogLines.byUserWithHeavyMap(bytes, maps, seed);
      case LOG_READ -> LogLines.byUser(bytes, maps, seed);
      case NDAY_MODEL -> new ModelLines(bytes, maps, seed);
      case BEHAVIOR_MODEL -> new EventLines(bytes, maps, seed);
      case CLICK_ATTRIBUTION -> new AdLines(bytes, maps, seed);
      case SEGMENT_EXPLODER -> new GeoLines(bytes, maps, seed);
    };
  }

  /** Bytes that the largest map task reads. */
  public long largestMapBytes(double scale) {
    LineSource source = source(scale, 0);
    return Arrays.stream(source.splits()).max().orElse(0) * source.longest();
  }
}

package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.MasterChoice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a partitioned-sort bench runs.
 *
 * @param mb megabytes of records (1 MB = 10 000 records of 100 bytes); 0 is the null job
 * @param maps map tasks
 * @param reduces reduce tasks; 0: the job does not say how many
 * @param contenders who takes turns
 * @param rounds how often each contender runs
 * @param codec of map output
 * @param master what Sailfish's jobs want of their ApplicationMaster
 * @param settings keys of the job's configuration over those that the bench sets itself, the same
 *     for all contenders
 */
public record BenchPlan(
    int mb,
    int maps,
    int reduces,
    List<Contender> contenders,
    int rounds,
    Codec codec,
    MasterChoice master,
    Map<String, String> settings) {

  private static final int RECORDS_PER_MB = 10_000;
  private static final int STOCK_BYTES_PER_RECORD =
      100 + 2 * Integer.BYTES + 16; // length fields, kvmeta
  private static final double SPILL_PERCENT = 0.95;
  static final String SORT_BUFFER_KEY = "mapreduce.task.io.sort.mb";
  private static final int[] SORT_MB = {256, 448, 640};
  private static final int MAX_SORT_MB = 900;
  private static final String REDUCE_OPTIONS = "mapreduce.reduce.java.opts";
  private static final String KEPT_IN_HEAP = "mapreduce.reduce.input.buffer.percent";
  private static final String TUNED_KEPT_IN_HEAP = "0.7";
  private static final Pattern HEAP = Pattern.compile("-Xmx(\\d+)([kmgKMG]?)(?=\\s|$)");
  private static final int FETCHED_BYTES_PER_RECORD = 104; // its length fields among them

  /**
   * How much of a reduce task's heap map outputs may take before Hadoop merges them to disk: the
   * defaults of mapreduce.reduce.shuffle.input.buffer.percent and .merge.percent, and a tenth that
   * the collector does not count as heap.
   */
  private static final double FETCHED_SHARE_OF_HEAP = 0.70 * 0.66 * 0.9;

  public BenchPlan {
    contenders = List.copyOf(contenders);
    settings = Map.copyOf(settings);
    require("--mb", mb, 0);
    require("--maps", maps, 1);
    require("--reduces", reduces, 0);
    require("--rounds", rounds, 1);
    if (contenders.isEmpty()) {
      throw new CommandException(
          "--shuffle must name at least one of stock, stock-tuned, sailfish, sailfish-isolated,"
              + " sailfish-shared and sailfish-cold.");
    }
    for (Contender contender : contenders) {
      codec.requireRunsWith(contender.shuffle());
      for (String key : settings.keySet()) {
        boolean tuned = contender == Contender.STOCK_TUNED && key.equals(KEPT_IN_HEAP);
        if (tuned || contender.isMadeBy(key)) {
          throw new CommandException("-D " + key + " is what the contenders differ in.");
        }
      }
    }
  }

  /** With Hadoop's own ApplicationMaster for all. */
  public BenchPlan(
      int mb,
      int maps,
      int reduces,
      List<Contender> contenders,
      int rounds,
      Codec codec,
      Map<String, String> settings) {
    this(mb, maps, reduces, contenders, rounds, codec, MasterChoice.STOCK, settings);
  }

  /** For a job that needs nothing but contenders. */
  public static BenchPlan small(int reduces, List<Contender> contenders) {
    return new BenchPlan(0, 1, reduces, contenders, 1, Codec.NONE, Map.of());
  }

  /** The same without records: the null job. */
  public BenchPlan withoutRecords() {
    return new BenchPlan(0, maps, reduces, contenders, rounds, codec, master, settings);
  }

  private static void require(String option, int value, int least) {
    if (value < least) {
      throw new CommandException(option + " must be at least " + least + " but is " + value + ".");
    }
  }

  /** Records of one run. */
  public long records() {
    return (long) mb * RECORDS_PER_MB;
  }

  /** Tells when the reduce tasks of a run have not seen all records. */
  Optional<String> miscount(Measurement measurement) {
    long seen = measurement.job().counter("REDUCE_INPUT_RECORDS");
    return seen == records()
        ? Optional.empty()
        : Optional.of("records reduced=" + seen + " expected=" + records());
  }

  /**
   * Contenders in the order of one round; every other round runs them backwards, so that none
   * always comes first.
   */
  public List<Contender> order(int round) {
    List<Contender> order = new ArrayList<>(contenders);
    if (round % 2 == 0) {
      Collections.reverse(order);
    }
    return order;
  }

  /**
   * The job's configuration, the same for each contender but for the shuffle itself, for what the
   * tuned one keeps in the heap, and for ApplicationMaster and JVMs of Sailfish's: each map spills
   * once and each reduce merges once.
   */
  public Map<String, String> configuration(Contender contender) {
    Map<String, String> configuration = new HashMap<>(contender.shuffle().configuration());
    if (contender == Contender.STOCK_TUNED && reducerInputFits()) {
      configuration.put(KEPT_IN_HEAP, TUNED_KEPT_IN_HEAP);
    }
    configuration.putAll(codec.configuration());
    configuration.put(SORT_BUFFER_KEY, Integer.toString(sortBufferMb()));
    configuration.put("mapreduce.task.io.sort.factor", "100");
    configuration.put("mapreduce.map.sort.spill.percent", Double.toString(SPILL_PERCENT));
    configuration.put("mapreduce.reduce.shuffle.parallelcopies", "10");
    configuration.put("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
    configuration.put("mapreduce.map.speculative", "false");
    configuration.put("mapreduce.reduce.speculative", "false");
    configuration.putAll(contender.masterKeys(master));
    configuration.putAll(settings);
    return configuration;
  }

  /** The same for a job that reads files, each with one map task, however long it is. */
  Map<String, String> fileConfiguration(Contender contender) {
    Map<String, String> configuration = configuration(contender);
    if (reduces > 0) {
      configuration.put("mapreduce.job.reduces", Integer.toString(reduces));
    }
    configuration.put(
        "mapreduce.input.fileinputformat.split.minsize", Long.toString(Long.MAX_VALUE));
    return configuration;
  }

  /**
   * Whether a reduce task of the stock shuffle can hold its whole input in its heap, if partitions
   * are equal: then the tuned contender differs from stock.
   */
  public boolean reducerInputFits() {
    double input = (double) records() / Math.max(1, reduces) * FETCHED_BYTES_PER_RECORD;
    return input <= FETCHED_SHARE_OF_HEAP * reducerHeapBytes();
  }

  private long reducerHeapBytes() {
    String options = settings.getOrDefault(REDUCE_OPTIONS, LocalCluster.TASK_OPTIONS);
    Matcher heap = HEAP.matcher(options);
    if (!heap.find()) {
      throw new CommandException(
          "-D %s=%s names no heap (-Xmx), which stock-tuned needs."
              .formatted(REDUCE_OPTIONS, options));
    }
    return Long.parseLong(heap.group(1))
        << 10 * Math.max(0, " kmg".indexOf(heap.group(2).toLowerCase(Locale.ROOT)));
  }

  /**
   * The smallest of a few usual sizes that holds a map's output at once; the largest possible when
   * none does.
   */
  int sortBufferMb() {
    return sortBufferMb((double) records() / maps * STOCK_BYTES_PER_RECORD);
  }

  /**
   * The same for any map.
   *
   * @param mapBytes what its output takes in the buffer, with what stock keeps of each record
   */
  static int sortBufferMb(double mapBytes) {
    double bytes = mapBytes / SPILL_PERCENT;
    for (int candidate : SORT_MB) {
      if (bytes < (double) (candidate << 20)) {
        return candidate;
      }
    }
    return MAX_SORT_MB;
  }
}

package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Fault;
import dev.sailfish.chaos.FaultDeck;
import dev.sailfish.chaos.FaultKind;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.WarmTasks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * All jobs and faults of a run: the same for the same seed, numbers and kinds.
 *
 * @param seed everything else follows from it
 * @param jobs in the order in which they run
 */
record ChaosPlan(long seed, List<JobPlan> jobs) {
  private static final int MAPS = 4;

  /** Of a job whose tasks share JVMs: more than there is room for, so that JVMs run several. */
  private static final int WARM_MAPS = 16;

  private static final int REDUCES = 2;
  private static final int FEWEST_RECORDS = 12_000;
  private static final int LARGEST_VALUE = 100_000;
  private static final int MAP_MS = 8_000;
  private static final int REDUCE_MS = 3_000;
  private static final int MOST_FAULTS_AGAIN = 3;
  private static final String TARGET = "sailfish.reduce.work.target";
  private static final String TASK_MB = "1024";
  private static final String TASK_HEAP = "-Xmx820m";

  ChaosPlan {
    jobs = List.copyOf(jobs);
  }

  /**
   * Draws a plan.
   *
   * @param faults spread evenly over the jobs
   * @param kinds dealt like cards, so that each comes up as often as any other
   * @param calibrate whether a job without faults comes first, to compare times with
   */
  static ChaosPlan of(
      long seed, int jobs, int faults, Collection<JobFault> kinds, boolean calibrate) {
    SplittableRandom random = new SplittableRandom(seed);
    FaultDeck<ChaosCluster> deck = new FaultDeck<>(kinds, random);
    List<JobPlan> plans = new ArrayList<>();
    if (calibrate) {
      plans.add(job(0, List.of(), random));
    }
    int first = plans.size();
    for (int job = 0; job < jobs; job++) {
      int count = faults * (job + 1) / jobs - faults * job / jobs;
      plans.add(job(first + job, deck.deal(count), random));
    }
    return new ChaosPlan(seed, plans);
  }

  /**
   * Jobs for kinds of faults that were planned and found nothing to hit: the same for the same
   * plan, round and kinds.
   *
   * @param round from 0; each has other jobs
   * @param first ordinal of the first job
   */
  ChaosPlan again(int round, int first, Collection<? extends FaultKind<ChaosCluster>> kinds) {
    SplittableRandom random = new SplittableRandom(seed + 1 + round);
    FaultDeck<ChaosCluster> deck = new FaultDeck<>(kinds, random);
    List<JobPlan> plans = new ArrayList<>();
    for (int left = kinds.size(); left > 0; left -= MOST_FAULTS_AGAIN) {
      List<Fault<ChaosCluster>> dealt = deck.deal(Math.min(left, MOST_FAULTS_AGAIN));
      plans.add(job(first + plans.size(), dealt, random));
    }
    return new ChaosPlan(seed, plans);
  }

  private static JobPlan job(
      int ordinal, List<Fault<ChaosCluster>> faults, SplittableRandom random) {
    // Half of the jobs run in Sailfish's ApplicationMaster, and their data decides.
    boolean auto = ordinal % 2 == 1;
    String warm = auto ? List.of("isolated", "shared", "off").get(ordinal / 2 % 3) : "off";
    long seed = jobSeed(random, warm.equals("off") ? MAPS : WARM_MAPS);
    boolean speculative = faults.stream().anyMatch(fault -> fault.kind() == JobFault.SPECULATION);
    Map<String, String> settings = settings(RandomJobSpec.ofSeed(seed), speculative, random);
    if (auto) {
      settings.putAll(ReduceWork.AUTO.configuration());
      settings.put(RandomJobSpec.SEVERAL_PARTITIONS, "true");
      settings.put(TARGET, List.of("0", "64k", "1m").get(random.nextInt(3)));
      settings.put(WarmTasks.KEY, warm);
    }
    return new JobPlan(ordinal, seed, settings, faults);
  }

  /** A job of few tasks with something to shuffle. */
  private static long jobSeed(SplittableRandom random, int maps) {
    while (true) {
      long seed = random.nextLong();
      RandomJobSpec spec = RandomJobSpec.ofSeed(seed);
      boolean few = spec.maps() == maps && spec.reduces() == REDUCES;
      boolean hasRecords = maps * spec.recordsPerMap() >= FEWEST_RECORDS;
      if (few && hasRecords && spec.largestValue() <= LARGEST_VALUE) {
        return seed;
      }
    }
  }

  /**
   * What a job sets: nothing that helps it to survive. Attempts, timeouts, blacklisting,
   * speculation and deadlines are those of Hadoop and Sailfish when nobody sets any.
   */
  private static Map<String, String> settings(
      RandomJobSpec spec, boolean speculative, SplittableRandom random) {
    Map<String, String> settings = new HashMap<>();
    // A job of a few seconds would be over before its faults: it takes its time.
    settings.put(RandomJobSpec.MAP_MS, Integer.toString(MAP_MS));
    settings.put(RandomJobSpec.REDUCE_MS, Integer.toString(REDUCE_MS));
    // Stock's memory, and the heap that Hadoop makes of it: the local cluster's tasks have more.
    settings.put("mapreduce.map.memory.mb", TASK_MB);
    settings.put("mapreduce.reduce.memory.mb", TASK_MB);
    settings.put("mapreduce.map.java.opts", TASK_HEAP);
    settings.put("mapreduce.reduce.java.opts", TASK_HEAP);
    // The client hears sooner that its job has ended; the job itself does not know of it.
    settings.put("mapreduce.client.completion.pollinterval", "500");
    if (speculative) {
      // Else the ApplicationMaster looks for the next slow map only when this job is nearly over.
      settings.put("mapreduce.job.speculative.retry-after-speculate", "1000");
    }
    settings.put(
        "mapreduce.job.reduce.slowstart.completedmaps",
        List.of("0.05", "0.5", "1.0").get(random.nextInt(3)));
    settings.put("sailfish.encrypt.at.rest", Boolean.toString(random.nextBoolean()));
    // All of these are smaller than by default: a small job has many chunks, blocks and waits.
    settings.put("sailfish.chunk.size", "1m");
    settings.put("sailfish.iappender.block.size", "16k");
    settings.put("sailfish.iappender.memory", "8m");
    settings.put("sailfish.imerger.memory", List.of("0", "2m", "16m").get(random.nextInt(3)));
    if (!spec.codec().isEmpty()) {
      settings.put("mapreduce.map.output.compress", "true");
      settings.put("mapreduce.map.output.compress.codec", codecClass(spec.codec()));
    }
    return settings;
  }

  private static String codecClass(String name) {
    return name.equals("LzoCodec")
        ? "dev.sailfish.hadoop.LzoCodec"
        : "org.apache.hadoop.io.compress." + name;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("chaos plan, repeat with -Dsailfish.seed=" + seed);
    jobs.forEach(job -> text.append("\n  ").append(job));
    return text.toString();
  }
}

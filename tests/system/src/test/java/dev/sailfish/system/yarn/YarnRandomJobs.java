package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.StockOutput;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.function.Function;

/** Random jobs on YARN, compared with what stock makes of them. */
record YarnRandomJobs(YarnCluster cluster, Path directory) {
  /** Every task is a container, so jobs with more are left out. */
  private static final int MOST_TASKS = 12;

  private static final List<String> TARGETS = List.of("16k", "256k", "1m", "0");

  /**
   * Runs jobs of random seeds; {@code -Dsailfish.seed=N} repeats them.
   *
   * @param auto whether their data decides how many reduce tasks they have: then all files, one
   *     after the other, have to be as stock's are
   */
  void shouldEqualStock(int jobs, boolean auto) throws Exception {
    shouldEqualStock(jobs, auto, random -> List.of());
  }

  /**
   * The same, with more settings.
   *
   * @param more those of the next job
   */
  void shouldEqualStock(int jobs, boolean auto, Function<SplittableRandom, List<String>> more)
      throws Exception {
    long seed = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("YarnRandomJobs seed=" + seed + " jobs=" + jobs + " auto=" + auto);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < jobs; i++) {
      long jobSeed = next(random);
      Path output = directory.resolve("random-" + jobSeed);
      RandomJobSpec spec = RandomJobSpec.ofSeed(jobSeed);
      List<String> settings = new ArrayList<>(auto ? auto(random) : List.of());
      settings.addAll(more.apply(random));
      run(jobSeed, output, settings);
      SortedMap<String, String> ours = OutputFiles.read(output);
      SortedMap<String, String> stock = StockOutput.of(spec, directory.resolve("local-" + jobSeed));
      assertThat(ours).as("%s", spec).isNotEmpty();
      if (auto) {
        assertThat(String.join("", ours.values()))
            .as("%s in %s", spec, ours.keySet())
            .isEqualTo(String.join("", stock.values()));
      } else {
        assertThat(ours).as("%s", spec).isEqualTo(stock);
      }
    }
  }

  /** Runs the job of a seed with Sailfish. */
  String run(long jobSeed, Path output, List<String> settings) throws Exception {
    Path jar = SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs");
    List<String> job = List.of("dev.sailfish.jobs.RandomJobMain", Long.toString(jobSeed));
    return cluster.run("sailfish", jar, job, output, settings).output();
  }

  /** Settings of a job whose data decides. */
  private static List<String> auto(SplittableRandom random) {
    List<String> settings = new ArrayList<>(List.of("--reduce-work", "auto"));
    settings.add("-D" + RandomJobSpec.SEVERAL_PARTITIONS + "=true");
    settings.add("-Dsailfish.reduce.work.target=" + TARGETS.get(random.nextInt(TARGETS.size())));
    return settings;
  }

  private static long next(SplittableRandom random) {
    while (true) {
      long seed = random.nextLong();
      RandomJobSpec spec = RandomJobSpec.ofSeed(seed);
      if (spec.maps() + spec.reduces() <= MOST_TASKS && spec.recordsPerMap() > 0) {
        return seed;
      }
    }
  }
}

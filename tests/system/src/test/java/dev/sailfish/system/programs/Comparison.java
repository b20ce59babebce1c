package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.yarn.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs programs on real YARN in each mode, and with the stock shuffle, and compares.
 *
 * <p>A program that gave what stock gives on this very code is not run again: verdicts are kept in
 * {@code target/programs} of the project, or where {@code -Dsailfish.programs.dir} says. {@code
 * -Dsailfish.programs=REGEX} runs those of this name only, {@code -Dsailfish.programs.modes=REGEX}
 * in modes of this label only, {@code -Dsailfish.programs.minutes=N} as many as begin within that
 * time, and {@code -Dsailfish.landing=N} has another one come first for each N.
 */
final class Comparison {
  private static final String ONLY = System.getProperty("sailfish.programs", ".*");
  private static final String MODES = System.getProperty("sailfish.programs.modes", ".*");
  private static final long MINUTES = Long.getLong("sailfish.programs.minutes", 10_000);
  private static final int LANDING = Integer.getInteger("sailfish.landing", 0);

  /** Of all clusters that one run of the tests starts, one after the other. */
  private static final Instant END = Instant.now().plus(Duration.ofMinutes(MINUTES));

  /** About a third of all programs of a kind, and prime: after many landings all came first. */
  private static final int STEP = 19;

  private static final Pattern REFUSED =
      Pattern.compile("fixed, although auto is asked for \\(.*?\\): (.*)");

  /** Jobs of seconds wait for heartbeats half of the time. */
  private static final List<String> HEARTBEATS =
      List.of(
          "-Dyarn.resourcemanager.nodemanagers.heartbeat-interval-ms=250",
          "-Dyarn.app.mapreduce.am.scheduler.heartbeat.interval-ms=250");

  /** How a program is run. */
  interface Runner {
    /**
     * Runs it on a node.
     *
     * @param out an empty directory, which gets what counts of its output
     */
    void run(Program program, EdgeNode node, Path out) throws Exception;
  }

  /** Writes what programs read. */
  interface Input {
    /** Into the directory that they know as IN. */
    void write(Path in) throws IOException;
  }

  private final Path directory;
  private final YarnCluster cluster;
  private final Map<Mode, EdgeNode> nodes = new EnumMap<>(Mode.class);
  private final Verdicts verdicts = verdicts();
  private final Map<String, ProgramOutput> stock = new HashMap<>();

  private Comparison(Path directory, YarnCluster cluster) throws IOException {
    this.directory = directory;
    this.cluster = cluster;
  }

  /** Starts a cluster and prepares a node for each mode, with input in {@code in}. */
  static Comparison start(Path directory, Input... inputs) throws Exception {
    return start(directory, Version.OWN, inputs);
  }

  /** The same with another Hadoop or Java. */
  static Comparison start(Path directory, Version version, Input... inputs) throws Exception {
    return start(directory, version, Commands.environment(input(directory, inputs)), HEARTBEATS);
  }

  /** The same with other settings of the cluster. */
  static Comparison start(Path directory, List<String> settings, Input... inputs) throws Exception {
    return start(directory, Version.OWN, Commands.environment(input(directory, inputs)), settings);
  }

  /** The same on HDFS: input, output and what clients and jobs keep there. */
  static Comparison start(Path directory, HdfsCluster hdfs, Input... inputs) throws Exception {
    return start(directory, hdfs, HEARTBEATS, inputs);
  }

  /** The same with other settings of the cluster's. */
  static Comparison start(Path directory, HdfsCluster hdfs, List<String> settings, Input... inputs)
      throws Exception {
    Path in = input(directory, inputs);
    Map<String, String> environment = new HashMap<>(Commands.environment(in));
    environment.put("IN", "/in");
    List<String> all = new ArrayList<>(settings);
    all.add("-Dfs.defaultFS=" + hdfs.address());
    Comparison comparison = start(directory, Version.OWN, environment, all);
    comparison
        .node(Mode.STOCK)
        .run(in, Map.of(), List.of("hadoop", "fs", "-put", in.toString(), "/in"));
    return comparison;
  }

  private static Path input(Path directory, Input... inputs) throws IOException {
    Path in = Files.createDirectory(directory.resolve("in"));
    for (Input input : inputs) {
      input.write(in);
    }
    return in;
  }

  private static Comparison start(
      Path directory, Version version, Map<String, String> environment, List<String> settings)
      throws Exception {
    YarnCluster cluster =
        YarnCluster.start(
            directory, version.environment(), version::flags, settings.toArray(new String[0]));
    Comparison comparison = new Comparison(directory, cluster);
    String env = cluster.succeed("env").output();
    String streaming = version.streaming(environment.get("STREAMING"));
    for (Mode mode : Mode.values()) {
      Path node = directory.resolve("node-" + mode);
      comparison.nodes.put(mode, EdgeNode.create(node, cluster.conf(), env, mode, version));
      comparison.nodes.get(mode).set(environment);
      comparison.nodes.get(mode).set(Map.of("STREAMING", streaming));
    }
    return comparison;
  }

  /** Those of the code that is built. */
  static Verdicts verdicts() throws IOException {
    Path root = SailfishCommand.projectRoot();
    Path dist = root.resolve("hadoop-plugin/cli/target/dist");
    String kept = System.getProperty("sailfish.programs.dir");
    return Verdicts.ofThisCode(
        kept == null ? root.resolve("target/programs") : Path.of(kept),
        List.of(dist.resolve("sailfish"), dist.resolve("client")));
  }

  /** The node of a mode. */
  EdgeNode node(Mode mode) {
    return nodes.get(mode);
  }

  /** The same in all modes. */
  Stream<DynamicTest> tests(List<Program> all, Runner runner) {
    return tests(all, Mode.OURS, runner);
  }

  /** The same in another order, so that another one comes first for each landing. */
  static <T> List<T> inTurns(List<T> all) {
    List<T> rotated = new ArrayList<>(all);
    Collections.rotate(rotated, -(LANDING * STEP % rotated.size()));
    return rotated;
  }

  /** Why nothing more is to begin; null while there is time. */
  static String timeIsOver() {
    return Instant.now().isBefore(END) ? null : MINUTES + " minutes are over";
  }

  /** A test for each program and mode that has no verdict yet, while there is time. */
  Stream<DynamicTest> tests(List<Program> all, List<Mode> modes, Runner runner) {
    return inTurns(all).stream()
        .filter(program -> program.name().matches(ONLY))
        .takeWhile(Comparison::isTimeLeft)
        .flatMap(
            program ->
                modes.stream()
                    .filter(mode -> mode.label().matches(MODES))
                    .filter(mode -> verdicts.of(program, mode) == null)
                    .map(
                        mode ->
                            DynamicTest.dynamicTest(
                                program + ", " + mode.label(),
                                () -> compare(program, mode, runner))));
  }

  private static boolean isTimeLeft(Program program) {
    String over = timeIsOver();
    if (over != null) {
      System.out.printf("%s: %s and what follows did not run%n", over, program);
    }
    return over == null;
  }

  /** Runs a program, if need be with stock too; fails when the outputs differ. */
  void compare(Program program, Mode mode, Runner runner) throws Exception {
    if (!stock.containsKey(program.name())) {
      stock.put(program.name(), run(program, Mode.STOCK, runner));
    }
    ProgramOutput theirs = stock.get(program.name());
    assertThat(theirs.isEmpty()).as("output of %s with stock", program).isFalse();
    Instant start = Instant.now();
    ProgramOutput ours = run(program, mode, runner);
    if (mode.changesFiles() || program.inAnyFile()) {
      ours = ours.joined();
      theirs = theirs.joined();
    }
    if (program.unordered()) {
      ours = ours.sorted();
      theirs = theirs.sorted();
    }
    assertThat(ours.differenceFrom(theirs)).as("%s, %s", program, mode.label()).isEmpty();
    verdicts.put(program, mode, Verdicts.EQUAL + refusals(mode, start));
    cluster.awaitNoJob();
  }

  private ProgramOutput run(Program program, Mode mode, Runner runner) throws Exception {
    Path out =
        Files.createTempDirectory(
            directory, program.name().replaceAll("[^A-Za-z0-9.]+", "-") + "-" + mode + "-");
    runner.run(program, nodes.get(mode), out);
    return ProgramOutput.of(out);
  }

  /** Why jobs that asked for {@code auto} since a moment were not given it. */
  private String refusals(Mode mode, Instant start) throws IOException {
    if (mode != Mode.AUTO) {
      return "";
    }
    TreeSet<String> reasons = new TreeSet<>();
    REFUSED
        .matcher(cluster.containerLogs(start))
        .results()
        .map((MatchResult found) -> found.group(1))
        .forEach(reasons::add);
    return reasons.isEmpty() ? "" : "; not auto: " + String.join("; ", reasons);
  }

  /** Stops one that has started. */
  static void stop(Comparison comparison) throws Exception {
    if (comparison != null) {
      comparison.cluster.stop();
    }
  }
}

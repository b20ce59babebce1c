package dev.sailfish.system.programs;

import dev.sailfish.system.SailfishCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long programs of several jobs take from end to end, each mode in turn, on a cluster with
 * Hadoop's own heartbeats. {@code -Dsailfish.programs.rounds=N} says how often, {@code
 * -Dsailfish.programs=REGEX} which; what is measured is printed, and is in {@code
 * target/times-*.json} of the module.
 */
@Tag("long")
@EnabledIfSystemProperty(
    named = "sailfish.programs.rounds",
    matches = "\\d+",
    disabledReason = "a measurement: -Dsailfish.programs.rounds=N")
class ProgramTimesTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.programs.rounds", 0);
  private static final String ONLY = System.getProperty("sailfish.programs", ".*");
  private static final List<Mode> MODES = List.of(Mode.STOCK_ON_YARN, Mode.PLUGIN, Mode.FIXED);

  private static final List<String> SCRIPTS =
      List.of("order-fields", "join-skewed", "multi-query", "rank", "cogroup-three", "rollup");

  private static final List<String> QUERIES =
      List.of("tpch-02", "tpch-03", "tpch-05", "tpch-07", "tpch-08", "tpch-09", "tpch-21");

  private final Map<String, Map<Mode, List<Double>>> seconds = new TreeMap<>();
  private final Map<Mode, HiveServer> servers = new EnumMap<>(Mode.class);

  @TempDir private Path temporary;
  private HdfsCluster hdfs;
  private Comparison comparison;

  @AfterEach
  void tearDown() throws Exception {
    for (HiveServer server : servers.values()) {
      server.stop();
    }
    Comparison.stop(comparison);
    HdfsCluster.stop(hdfs);
  }

  @Test
  void pigScripts() throws Exception {
    hdfs = HdfsCluster.start(temporary.resolve("hdfs"));
    comparison = Comparison.start(temporary, hdfs, List.of(), Tables::write, Inputs::write);
    measure("pig", ".pig", SCRIPTS, Commands.pig());
  }

  @Test
  void hiveQueries() throws Exception {
    comparison =
        Comparison.start(
            temporary, List.of(), Tables::write, in -> TpchTables.write(in.resolve("tpch")));
    for (Mode mode : MODES) {
      HiveServer server =
          HiveServer.start(comparison.node(mode), temporary.resolve("hive-" + mode));
      servers.put(mode, server);
      String tables = Files.readString(Program.directory("hive-tables.sql"));
      // QUERIES read only these, which are files as they lie there; jobs make the others.
      tables = tables.substring(tables.indexOf("CREATE DATABASE tpch;"));
      server.run(tables.replace("{IN}", temporary.resolve("in").toString()));
    }
    measure(
        "hive",
        ".sql",
        QUERIES,
        (program, node, out) -> servers.get(node.mode()).run(Files.readString(program.file())));
  }

  private void measure(String kind, String ending, List<String> all, Comparison.Runner runner)
      throws Exception {
    List<String> names = all.stream().filter(name -> name.matches(ONLY)).toList();
    for (int round = 1; round <= ROUNDS; round++) {
      for (String name : names) {
        Program program = Program.of(Program.directory(kind).resolve(name + ending), ending);
        for (Mode mode : MODES) {
          long start = System.nanoTime();
          runner.run(
              program, comparison.node(mode), Path.of("/times-" + name + "-" + mode + "-" + round));
          add(name, mode, (System.nanoTime() - start) / 1e9);
        }
      }
      report(kind, names);
    }
  }

  private void add(String name, Mode mode, double took) {
    seconds
        .computeIfAbsent(name, key -> new EnumMap<>(Mode.class))
        .computeIfAbsent(mode, key -> new ArrayList<>())
        .add(took);
    System.out.printf("%s, %s: %.1f s%n", name, mode.label(), took);
  }

  private void report(String kind, List<String> names) throws Exception {
    StringJoiner json = new StringJoiner(",\n", "{\n", "\n}\n");
    Map<Mode, Double> sums = new EnumMap<>(Mode.class);
    for (String name : names) {
      StringJoiner one = new StringJoiner(", ", "  \"" + name + "\": {", "}");
      seconds
          .get(name)
          .forEach(
              (mode, took) -> {
                sums.merge(mode, median(took), Double::sum);
                one.add("\"" + mode.label() + "\": " + rounded(took));
              });
      json.add(one.toString());
    }
    StringJoiner all = new StringJoiner(", ", "  \"sums of medians\": {", "}");
    sums.forEach((mode, sum) -> all.add("\"" + mode.label() + "\": " + rounded(List.of(sum))));
    json.add(all.toString());
    System.out.print(json);
    Path target = SailfishCommand.projectRoot().resolve("tests/system/target");
    Files.writeString(target.resolve("times-" + kind + ".json"), json.toString());
  }

  private static List<String> rounded(List<Double> values) {
    return values.stream().map(value -> String.format(Locale.ROOT, "%.1f", value)).toList();
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}

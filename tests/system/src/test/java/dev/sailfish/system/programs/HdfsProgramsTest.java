package dev.sailfish.system.programs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs whose input, output and staging directory are on HDFS give what they give with stock.
 */
@Tag("long")
class HdfsProgramsTest {
  private static final List<String> SHELL =
      List.of("wordcount", "secondarysort", "terasort", "streaming-awk", "multiple-inputs-outputs");
  private static final List<String> PIG = List.of("order-fields", "join-skewed", "multi-query");

  @TempDir private static Path temporary;
  private static HdfsCluster hdfs;
  private static Comparison comparison;

  @BeforeAll
  static void start() throws Exception {
    hdfs = HdfsCluster.start(temporary.resolve("hdfs"));
    Path in = Files.createDirectory(temporary.resolve("in"));
    Inputs.write(in);
    Tables.write(in);
    Map<String, String> environment = new HashMap<>(Commands.environment(in));
    environment.put("IN", "/in");
    comparison = Comparison.start(temporary, environment, "-Dfs.defaultFS=" + hdfs.address());
    EdgeNode node = comparison.node(Mode.STOCK);
    node.run(in, Map.of(), List.of("hadoop", "fs", "-put", in.toString(), "/in"));
    Commands.shell(node, Program.directory("hadoop-inputs.sh"), Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    Comparison.stop(comparison);
    if (hdfs != null) {
      hdfs.stop();
    }
  }

  @TestFactory
  Stream<DynamicTest> shouldGiveWhatStockGives() {
    return Stream.concat(
        comparison.tests(shell(), Commands.fetching(Commands.shell())),
        comparison.tests(pig(), Commands.fetching(Commands.pig())));
  }

  /** All that run there. */
  static List<Program> programs() {
    return Stream.concat(shell().stream(), pig().stream()).toList();
  }

  private static List<Program> shell() {
    return programs("hadoop", ".sh", SHELL);
  }

  private static List<Program> pig() {
    return programs("pig", ".pig", PIG);
  }

  /** Some of a kind, and what wants a real file system: there are files that tasks do not find. */
  private static List<Program> programs(String kind, String ending, List<String> names) {
    Stream<Program> some =
        names.stream()
            .map(name -> Program.of(Program.directory(kind).resolve(name + ending), ending))
            .map(program -> program.on("HDFS"));
    return Stream.concat(some, Program.all("hdfs", ending).stream()).toList();
  }
}

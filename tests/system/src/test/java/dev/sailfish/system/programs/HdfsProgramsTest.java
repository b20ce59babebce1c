package dev.sailfish.system.programs;

import java.nio.file.Path;
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
 * Hadoop's programs whose input, output and staging directory are on HDFS give what they give with
 * stock.
 */
@Tag("long")
class HdfsProgramsTest {
  private static final String SOME =
      "hadoop/(wordcount|secondarysort|streaming-awk|multiple-inputs-outputs)";

  @TempDir private static Path temporary;
  private static HdfsCluster hdfs;
  private static Comparison comparison;

  @BeforeAll
  static void start() throws Exception {
    hdfs = HdfsCluster.start(temporary.resolve("hdfs"));
    comparison = Comparison.start(temporary, hdfs, Inputs::write);
    Commands.shell(comparison.node(Mode.STOCK), Program.directory("hadoop-inputs.sh"), Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    Comparison.stop(comparison);
    HdfsCluster.stop(hdfs);
  }

  @TestFactory
  Stream<DynamicTest> shouldGiveWhatStockGives() {
    return comparison.tests(programs(), Commands.fetching(Commands.shell()));
  }

  /**
   * Some of all, and TeraSort: where the default file system is file:///, its tasks look for the
   * partition file in the working directory of the job's client, with any shuffle.
   */
  static List<Program> programs() {
    return Stream.concat(
            Program.all("hadoop", ".sh").stream()
                .filter(program -> program.name().matches(SOME))
                .map(program -> program.on("HDFS")),
            Program.all("hdfs", ".sh").stream())
        .toList();
  }
}

package dev.sailfish.system.programs;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pig scripts give with Sailfish, in each mode, what they give with stock. On HDFS: ORDER and some
 * joins name files of the distributed cache by relative paths, and do not find them when the file
 * system is the local one.
 */
@Tag("long")
class PigScriptsTest {
  @TempDir private static Path temporary;
  private static HdfsCluster hdfs;
  private static Comparison comparison;

  @BeforeAll
  static void start() throws Exception {
    hdfs = HdfsCluster.start(temporary.resolve("hdfs"));
    comparison = Comparison.start(temporary, hdfs, Tables::write, Inputs::write);
  }

  @AfterAll
  static void stop() throws Exception {
    Comparison.stop(comparison);
    HdfsCluster.stop(hdfs);
  }

  @TestFactory
  Stream<DynamicTest> shouldGiveWhatStockGives() {
    return comparison.tests(Program.all("pig", ".pig"), Commands.fetching(Commands.pig()));
  }
}

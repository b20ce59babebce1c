package dev.sailfish.system.programs;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's own programs give with Sailfish, in each mode, what they give with stock. */
@Tag("long")
class HadoopProgramsTest {
  @TempDir private static Path temporary;
  private static Comparison comparison;

  @BeforeAll
  static void start() throws Exception {
    comparison = Comparison.start(temporary, Inputs::write);
    Commands.shell(comparison.node(Mode.STOCK), Program.directory("hadoop-inputs.sh"), Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    Comparison.stop(comparison);
  }

  @TestFactory
  Stream<DynamicTest> shouldGiveWhatStockGives() {
    return comparison.tests(Program.all("hadoop", ".sh"), Commands.shell());
  }
}

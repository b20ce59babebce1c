package dev.sailfish.system.programs;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Pig scripts give with Sailfish, in each mode, what they give with stock. */
@Tag("long")
class PigScriptsTest {
  @TempDir private static Path temporary;
  private static Comparison comparison;

  @BeforeAll
  static void start() throws Exception {
    comparison = Comparison.start(temporary, Tables::write, Inputs::write);
  }

  @AfterAll
  static void stop() throws Exception {
    Comparison.stop(comparison);
  }

  @TestFactory
  Stream<DynamicTest> shouldGiveWhatStockGives() {
    return comparison.tests(Program.all("pig", ".pig"), Commands.pig());
  }
}

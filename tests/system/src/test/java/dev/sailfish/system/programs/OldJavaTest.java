package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A cluster whose daemons run on Java 11, where nobody has given tasks a newer one: what cannot
 * work fails with a sentence that says what to set.
 */
@Tag("long")
class OldJavaTest {
  private static final Version VERSION = new Version("3.4.3", 11, 17);

  @TempDir private static Path temporary;
  private static Comparison comparison;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(VERSION.missing() == null, VERSION.missing());
    comparison = Comparison.start(temporary, VERSION, Inputs::write);
    for (Mode mode : Mode.OURS) {
      Map<String, String> forgotten = new HashMap<>(VERSION.keys());
      forgotten.replaceAll((key, value) -> "FORGOTTEN=" + value);
      comparison.node(mode).override(forgotten);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    Comparison.stop(comparison);
  }

  @ParameterizedTest
  @CsvSource({"PLUGIN, mapreduce.map.env", "FIXED, yarn.app.mapreduce.am.env"})
  void shouldBeToldWhatToSet(Mode mode, String key) throws Exception {
    Path out = Files.createTempDirectory(temporary, "out");
    List<String> wordCount = List.of("bash", "-eu", Program.directory("hadoop/wordcount.sh") + "");
    assertThat(
            comparison.node(mode).runToFailure(temporary, Map.of("OUT", out.toString()), wordCount))
        .contains("Sailfish needs Java 17 or newer")
        .contains("this is Java 11")
        .contains(key);
  }
}
